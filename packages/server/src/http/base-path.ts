/** Returns the path of the service's public URL, without a slash at the end. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '')

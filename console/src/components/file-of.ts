/** Returns the file name and the host of a URL. The name is empty if the path ends with a slash. */
export function fileOf(url: string): { name: string; host: string } {
  const { host, pathname } = new URL(url)
  return { name: decoded(pathname.split('/').at(-1) ?? ''), host }
}

/**
 * Returns the decoded file name. Returns the name as it is if it cannot be decoded, or if it would contain control
 * characters or bidirectional controls, which could disguise the host.
 */
function decoded(name: string): string {
  try {
    const text = decodeURIComponent(name)
    return /[\p{Cc}\p{Bidi_Control}]/u.test(text) ? name : text
  } catch {
    return name
  }
}

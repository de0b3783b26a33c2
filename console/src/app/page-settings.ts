function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content.startsWith('__') ? '' : content
}

/** The path of the console, ending with a slash, such as `/console/`. */
export const basePath = metaContent('mediamill-base').replace(/\/?$/, '/')

export const styleNonce = metaContent('mediamill-nonce')

/** The path of the service, ending with a slash. The paths of samples and results start with it. */
export const servicePath = basePath.replace(/console\/$/, '')

/** Reads a value that the server wrote into the page's head. */
function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content.startsWith('__') ? '' : content
}

/** The console's own path with a trailing slash, such as `/console/`. */
export const basePath = metaContent('mediamill-base').replace(/\/?$/, '/')

/** The nonce that the content policy requires on style elements. */
export const styleNonce = metaContent('mediamill-nonce')

/** The service's path with a trailing slash, which contains its samples and results. */
export const servicePath = basePath.replace(/console\/$/, '')

/** Returns a value from the page's `<head>`, or an empty string. */
function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content.startsWith('__') ? '' : content
}

/** The console's own path with a trailing slash, such as `/console/`. */
export const basePath = metaContent('mediamill-base').replace(/\/?$/, '/')

/** The nonce that the content policy requires on style elements. */
export const styleNonce = metaContent('mediamill-nonce')

/** The path of the service with a trailing slash. Its samples and results are below this path. */
export const servicePath = basePath.replace(/console\/$/, '')

/** Returns a value from the page's `<head>`, or an empty string. */
function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content.startsWith('__') ? '' : content
}

/** The path of the console with a slash at its end, such as `/console/`. */
export const basePath = metaContent('mediamill-base').replace(/\/?$/, '/')

/** The nonce that the content security policy requires for style elements. */
export const styleNonce = metaContent('mediamill-nonce')

/** The path of the service with a slash at its end. Samples and results are below it. */
export const servicePath = basePath.replace(/console\/$/, '')

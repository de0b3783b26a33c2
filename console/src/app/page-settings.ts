/** Returns a value from the page's `<head>`, or an empty string. */
function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content.startsWith('__') ? '' : content
}

/** The path of the console, ending with a slash, such as `/console/`. */
export const basePath = metaContent('mediamill-base').replace(/\/?$/, '/')

/** The nonce that the content security policy requires for style elements. */
export const styleNonce = metaContent('mediamill-nonce')

/** The path of the service, ending with a slash. The paths of samples and results start with it. */
export const servicePath = basePath.replace(/console\/$/, '')

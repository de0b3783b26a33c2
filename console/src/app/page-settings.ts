/** Reads what the server wrote into the page's head. */
function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content.startsWith('__') ? '' : content
}

/** The console's own path with a slash at its end, such as `/console/`. */
export const basePath = metaContent('mediamill-base').replace(/\/?$/, '/')

/** What the page's policy lets style elements carry. */
export const styleNonce = metaContent('mediamill-nonce')

/** The path that the service lies below, with a slash at its end: where its samples and results are. */
export const servicePath = basePath.replace(/console\/$/, '')

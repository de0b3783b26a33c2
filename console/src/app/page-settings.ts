function metaContent(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  return content.startsWith('__') ? '' : content
}

export const basePath = metaContent('mediamill-base').replace(/\/?$/, '/')

export const styleNonce = metaContent('mediamill-nonce')

/** The path of the service, with a slash at the end. The paths of samples and results start with this path. */
export const servicePath = basePath.replace(/console\/$/, '')

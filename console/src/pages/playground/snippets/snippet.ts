/** A call to be written down as code. */
export type Snippet = { baseUrl: string; endpoint: string; body: Record<string, unknown> }

/** A file name that stands for a source of one's own disk: the upload's number says nothing to a reader. */
export function ownFile(endpoint: string): string {
  if (endpoint.startsWith('images')) return 'photo.jpg'
  return endpoint.startsWith('videos') ? 'clip.mp4' : 'report.pdf'
}

export const isUpload = (source: unknown) => typeof source === 'string' && source.startsWith('upload:')

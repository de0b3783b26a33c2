/** A local file of an operation, such as a watermark. `field` is the path of the body's field that contains `path`. */
export type Overlay = { field: readonly (string | number)[]; path: string }

export type Job = {
  endpoint: string
  source: { kind: 'file'; path: string } | { kind: 'url'; url: string }
  /** The body of the call without `source`. It still contains the local paths of overlays. */
  body: Record<string, unknown>
  overlays: readonly Overlay[]
}

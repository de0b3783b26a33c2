import type { Endpoint } from '../endpoint.ts'

/** Whatever takes a body: an endpoint, or a route whose fields are all its own. */
export type Taker = Pick<Endpoint, 'body' | 'media'> & {
  name: string
  example: { body: Record<string, unknown> }
  /** Whether it takes the common fields of Spec 4.1 not. */
  isBare?: true
}

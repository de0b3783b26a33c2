import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { ImageOutputFormat, MediaType } from '@mediamill/contract/domain/media'

/** How a request has to end. */
export type Ending = 'succeeded' | FailureCode

/** A hostile file, and its expected outcome. */
export type HostileFile = {
  name: string
  media: MediaType
  bytes: Buffer
  /** Outcome of the read endpoint, which only reads headers, so it accepts a decompression bomb. */
  read: Ending
  /** The endpoint that works on the content. */
  process: Ending
  /** Expected metadata, which set the price. */
  facts?: Record<string, unknown>
  /** Output format of an image (default jpg). */
  output?: ImageOutputFormat
  /** Its payload, which no result may contain. */
  payload?: string
}

/** The same ending for both endpoints. */
export const both = (ending: Ending) => ({ read: ending, process: ending }) as const

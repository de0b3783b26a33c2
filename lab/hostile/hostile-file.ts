import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { ImageOutputFormat, MediaType } from '@mediamill/contract/domain/media'

/** The expected outcome of a request. */
export type Ending = 'succeeded' | FailureCode

/** A hostile file, and its expected outcome. */
export type HostileFile = {
  name: string
  media: MediaType
  bytes: Buffer
  /** Outcome of the read endpoint. The endpoint only reads headers, so it accepts a decompression bomb. */
  read: Ending
  /** Outcome of the endpoint that decodes the content. */
  process: Ending
  /** Expected metadata. It determines the price. */
  metadata?: Record<string, unknown>
  /** Output format of an image (default jpg). */
  output?: ImageOutputFormat
  /** The payload of the file. No result may contain it. */
  payload?: string
}

/** Returns the same outcome for both endpoints. */
export const both = (ending: Ending) => ({ read: ending, process: ending }) as const

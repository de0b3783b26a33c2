import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { ImageOutputFormat, MediaType } from '@mediamill/contract/domain/media'

type Ending = 'succeeded' | FailureCode

/** A hostile file, and its expected outcome. */
export type HostileFile = {
  name: string
  media: MediaType
  bytes: Buffer
  /** The outcome of the read endpoint. This endpoint reads only headers, so it also accepts a decompression bomb. */
  read: Ending
  /** The outcome of an endpoint that decodes the content. */
  process: Ending
  /** The expected metadata, from which the price is calculated. */
  metadata?: Record<string, unknown>
  /** The output format for an image (default jpg). */
  output?: ImageOutputFormat
  /** Bytes that no result may contain. */
  payload?: string
}

/** Expects the same outcome from both endpoints. */
export const both = (ending: Ending) => ({ read: ending, process: ending }) as const

import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { ImageOutputFormat, MediaType } from '@mediamill/contract/domain/media'

/** How a request has to end. */
export type Ending = 'succeeded' | FailureCode

/** A file that was made to do harm, and what has to become of it. */
export type HostileFile = {
  name: string
  media: MediaType
  bytes: Buffer
  /** The endpoint that reads facts: it looks at headers only, so a bomb is read like any picture. */
  read: Ending
  /** The endpoint that works on the content. */
  process: Ending
  /** What reading must tell of it: lies that would cost its sender money. */
  facts?: Record<string, unknown>
  /** What an image is turned into (default jpg). */
  output?: ImageOutputFormat
  /** What its own payload says: no result may carry it. */
  payload?: string
}

/** The same ending for both endpoints. */
export const both = (ending: Ending) => ({ read: ending, process: ending }) as const

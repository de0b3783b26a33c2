import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { ImageOutputFormat, MediaType } from '@mediamill/contract/domain/media'

type Ending = 'succeeded' | FailureCode

export type HostileFile = {
  name: string
  media: MediaType
  bytes: Buffer
  /** The outcome of the read endpoint. It reads only headers, and therefore also accepts a decompression bomb. */
  read: Ending
  process: Ending
  /** The expected metadata, from which the price is calculated. */
  metadata?: Record<string, unknown>
  output?: ImageOutputFormat
  payload?: string
}

export const both = (ending: Ending) => ({ read: ending, process: ending }) as const

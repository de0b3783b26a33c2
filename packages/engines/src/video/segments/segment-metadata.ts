import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

const time = z.int()

const schema = z.object({
  /** The start, in ticks of the encoder. For separate audio, in ticks of the track. */
  start: time,
  end: time,
  /** `last` is the display time of the last frame, and `reached` is the latest end of a packet. */
  last: time,
  reached: time,
  last_duration: time,
  /**
   * `start` is in ticks of the track. `first` and `next` are decoding times in the source: of the first packet of the
   * segment and of the packet after the segment, or `null` if the packet does not exist. Stored metadata contains
   * `sound`.
   */
  sound: z.object({ start: time, first: time.nullable(), next: time.nullable() }).optional(),
})

export type SegmentMetadata = z.output<typeof schema>

export function readMetadataOf(output: readonly ResultData[], segments: number): SegmentMetadata[] {
  if (output.length !== segments) throw new RangeError(`only ${output.length} of ${segments} segments have metadata`)
  return output.map((data) => schema.parse(data))
}

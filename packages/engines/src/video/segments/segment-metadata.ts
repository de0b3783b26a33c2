import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

const time = z.int()

const schema = z.object({
  /** The time of the first packet, in the encoder's time base. For separate audio, in the track's time base. */
  start: time,
  end: time,
  /** `last` is the display time of the last frame. `reached` is the latest end of any packet. */
  last: time,
  reached: time,
  last_duration: time,
  /**
   * For interleaved audio: `start` is the first packet's time in the track's time base. `first` and `next` are decoding
   * times in the source's, of the first packet and of the one after the part. `null` without such a packet.
   */
  sound: z.object({ start: time, first: time.nullable(), next: time.nullable() }).optional(),
})

export type SegmentMetadata = z.output<typeof schema>

/** Reads the descriptions of all parts. Throws if a description is missing. */
export function readMetadataOf(output: readonly ResultData[], segments: number): SegmentMetadata[] {
  if (output.length !== segments) throw new RangeError(`${output.length} of ${segments} parts have a description`)
  return output.map((data) => schema.parse(data))
}

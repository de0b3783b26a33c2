import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

const time = z.int()

const schema = z.object({
  /** The time of the first packet in ticks of the encoder. For separate audio, in ticks of the track. */
  start: time,
  end: time,
  /** `last` is the display time of the last frame, and `reached` is the latest end of a packet. */
  last: time,
  reached: time,
  last_duration: time,
  /**
   * The interleaved audio of the segment. `start` is the time of its first packet, in ticks of the track. `first` is
   * the decoding time of this packet in the source, or `null` if the segment has no packet. `next` is the decoding time
   * of the first packet after the segment, or `null` if there is no such packet.
   */
  sound: z.object({ start: time, first: time.nullable(), next: time.nullable() }).optional(),
})

export type SegmentMetadata = z.output<typeof schema>

/** Parses the metadata of all segments. Throws if the metadata of a segment is missing. */
export function readMetadataOf(output: readonly ResultData[], segments: number): SegmentMetadata[] {
  if (output.length !== segments) throw new RangeError(`only ${output.length} of ${segments} segments have metadata`)
  return output.map((data) => schema.parse(data))
}

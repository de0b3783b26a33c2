import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

const time = z.int()

const schema = z.object({
  /** The time of the first packet, in the encoder's time base, or in the track's for audio. */
  start: time,
  end: time,
  /** The display time of the last frame, and the latest end of any packet. */
  last: time,
  reached: time,
  last_duration: time,
  /**
   * For interleaved audio: the time of the first packet in the track's time base, and the decoding times of this packet
   * and of the first one after the part, in the source's. `null` without such a packet.
   */
  sound: z.object({ start: time, first: time.nullable(), next: time.nullable() }).optional(),
})

export type PartFacts = z.output<typeof schema>

/** Reads the descriptions of all parts. Throws if one is missing. */
export function readFactsOf(said: readonly ResultData[], parts: number): PartFacts[] {
  if (said.length !== parts) throw new RangeError(`${said.length} of ${parts} parts have a description`)
  return said.map((data) => schema.parse(data))
}

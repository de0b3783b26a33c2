import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

const time = z.int()

const schema = z.object({
  /** When its first packet stands: in units of the coding, or of the file's track where it is the sound. */
  start: time,
  /** Until when its last frame stands. */
  end: time,
  /** When its last frame is shown, and the latest end of any of its packets. */
  last: time,
  reached: time,
  /** How long the last packet to be decoded lasts. */
  last_duration: time,
  /**
   * The sound beside the pictures: when its first packet stands, in units of the file's track, and the time of decoding of
   * that packet and of the first one behind the part, in the source's own. `null` for none.
   */
  sound: z.object({ start: time, first: time.nullable(), next: time.nullable() }).optional(),
})

/** What a part says of itself, for the join. */
export type PartFacts = z.output<typeof schema>

/** Reads what all parts of a plan said. Throws where one is missing. */
export function readFactsOf(said: readonly ResultData[], parts: number): PartFacts[] {
  if (said.length !== parts) throw new RangeError(`${said.length} of ${parts} parts told of themselves`)
  return said.map((data) => schema.parse(data))
}

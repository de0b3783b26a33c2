import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

/**
 * Tasks that process one split video on many machines. `plan` and `part` take the job of `videos/process` with a partly
 * present source. `join` takes the files of all parts and no source.
 */
export const PART_TASKS = { plan: 'videos/plan-parts', part: 'videos/make-part', join: 'videos/join-parts' } as const

/** How to cut long videos. `videos/process` re-encodes unsplit videos at the same cuts, so the file is equal. */
export type CutExtras = {
  /** The target length of a part. Parts are longer for small frames and for distant keyframes. */
  part_seconds: number
  /** The minimum number of pixels of a part, so that the cost of starting a part is small in comparison. */
  part_pixels?: number
  /** Only longer videos are cut; 0 by default. */
  longer_than?: number
}

export type PartExtras = { plan: PartsPlan; part: number }

/** The job's `assets` are the parts as `MP4` files, with the part's number as `url`. `parts` is in order. */
export type JoinParameters = { plan: PartsPlan; parts: readonly ResultData[] }

const ratio = z.strictObject({ num: z.int().min(1), den: z.int().min(1) })
const ticks = z.int()

// The maximum number of cuts. A reply holds at most 10,000 characters, with times of 10 and offsets of 13 digits.
export const MAX_CUTS = 350

const schema = z.strictObject({
  /** Engines of another version reject the plan. */
  version: z.literal(2),
  /** The size of the source in bytes. A source of another size has changed. */
  size: z.int().min(1),
  /** The SHA-256 of each additional file, in the job's order. A changed file would affect only some parts. */
  assets: z.array(z.string()).max(64),
  /** The starts of the parts, in ticks of `time_base` from the start of playback. The first part starts before them. */
  cuts: z.array(ticks).min(1).max(MAX_CUTS),
  time_base: ratio,
  /** The offset of each cut in a file without an index; otherwise empty. */
  places: z.array(z.int().min(0)).max(MAX_CUTS),
  /** Time discontinuities (broadcasts): from this cut on, times are shifted by these seconds. */
  jumps: z.array(z.strictObject({ cut: z.int().min(0), seconds: z.number() })).max(64),
  seconds: z.number().min(0),
  /** `beside`: each part copies its own range of the audio. `apart`: a separate part copies or encodes all of it. */
  sound: z.enum(['none', 'beside', 'apart']),
  /** Whether the first frame is interlaced: parts then also decode the frame before their first frame. */
  isInterlaced: z.boolean(),
  /** Encoder settings that the first frame determines for every part. */
  encoder: z.strictObject({
    time_base: ratio,
    rate: ratio,
    matrix: z.enum(['bt709', 'smpte170m', 'bt470bg']),
    primaries: z.int(),
    transfer: z.int(),
  }),
})

/** The plan of a split video. It is stored with its request and passed to every part unchanged. */
export type PartsPlan = z.output<typeof schema>

/** One part. `seconds` is its share of the work; separate audio has none. */
export type VideoPart = { kind: 'picture' | 'sound'; startSeconds: number; seconds: number }

/** Returns `undefined` if the video stays unsplit: not cuttable, too short, or its video track is copied. */
export function planOf(data: ResultData): PartsPlan | undefined {
  const { plan } = data
  return typeof plan === 'string' ? schema.parse(JSON.parse(plan)) : undefined
}

export const parsePlan = (kept: unknown): PartsPlan => schema.parse(kept)

/** Returns the parts of a plan, by number. Separate audio is first, because it may need the whole source. */
export function partsOf({ cuts, time_base: { num, den }, seconds, sound }: PartsPlan): VideoPart[] {
  const starts = [0, ...cuts.map((cut) => (cut * num) / den)]
  const pictures = starts.map((startSeconds, index): VideoPart => {
    const end = starts[index + 1] ?? seconds
    return { kind: 'picture', startSeconds, seconds: Math.max(0, end - startSeconds) }
  })
  return sound === 'apart' ? [{ kind: 'sound', startSeconds: 0, seconds: 0 }, ...pictures] : pictures
}

/** Otherwise the video is processed unsplit, so that one run over the whole file reports any error. */
export const isMade = (data: ResultData): boolean => data['is_made'] !== false

import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

/**
 * The tasks that make one video in parts, on many machines (decision 74).
 *
 * `plan` and `part` take the job of `videos/process` with further parameters. Its source may be there only in parts, as for
 * `videos/read`: they ask for what they need. `join` takes the files of all parts and no source.
 */
export const PART_TASKS = { plan: 'videos/plan-parts', part: 'videos/make-part', join: 'videos/join-parts' } as const

/**
 * What `plan` needs beside the parameters of `videos/process`: how long videos are cut.
 *
 * `videos/process` takes it too. A video in one piece is coded anew at every cut, so that it comes to the same file.
 */
export type CutExtras = {
  /** How long parts are to be. They are longer where frames are small, and where keyframes are far apart. */
  part_seconds: number
  /** How many pixels of frames a part has at least: what it costs to begin one has to be little beside them. */
  part_pixels?: number
  /** Only what is longer is cut; 0 unless given. */
  longer_than?: number
}

/** What `part` needs beside the parameters of `videos/process`. */
export type PartExtras = { plan: PartsPlan; part: number }

/**
 * The parameters of `join`. The files are the job's `assets`, each a whole `MP4` with the number of its part as `url`.
 * `parts` holds what the parts said of themselves (`EngineDone.data`), in order.
 */
export type JoinParameters = { plan: PartsPlan; parts: readonly ResultData[] }

const ratio = z.strictObject({ num: z.int().min(1), den: z.int().min(1) })
const ticks = z.int()

/** How often a video is cut at most. */
// A reply holds at most 10,000 characters of text: with times of 10 digits and places of 13 this many cuts fit.
export const MAX_CUTS = 350

const schema = z.strictObject({
  /** Engines of another version make no part of it. */
  version: z.literal(2),
  /** The source's bytes: a source of another size has changed. */
  size: z.int().min(1),
  /** The SHA-256 of each further file, in the job's order: one that changed would show in some parts only. */
  assets: z.array(z.string()).max(64),
  /** Where parts begin, in ticks of `time_base` from the start of playing; the first begins before them. */
  cuts: z.array(ticks).min(1).max(MAX_CUTS),
  time_base: ratio,
  /** Where each cut stands in a file that is searched by bytes; empty where it has an index. */
  places: z.array(z.int().min(0)).max(MAX_CUTS),
  /** From which cut on times are put right by how much, in seconds, where they jump (broadcasts). */
  jumps: z.array(z.strictObject({ cut: z.int().min(0), seconds: z.number() })).max(64),
  /** How much of the video is wanted. */
  seconds: z.number().min(0),
  /**
   * How its sound is made. `beside`: each part copies its own stretch of it. `apart`: it is a part of its own, which
   * copies or encodes all of it.
   */
  sound: z.enum(['none', 'beside', 'apart']),
  /** Whether its first frame is interlaced: parts then see the frame before their own. */
  isInterlaced: z.boolean(),
  /** What the first frame settles for every part. */
  encoder: z.strictObject({
    time_base: ratio,
    rate: ratio,
    matrix: z.enum(['bt709', 'smpte170m', 'bt470bg']),
    primaries: z.int(),
    transfer: z.int(),
  }),
})

/** How a video is made in parts. It is kept with its request and handed to every part as it is. */
export type PartsPlan = z.output<typeof schema>

/** One part. `seconds` of the video are its share of the work; sound that is a part of its own has none. */
export type VideoPart = { kind: 'picture' | 'sound'; startSeconds: number; seconds: number }

/**
 * Reads the plan out of what `plan` replied. Returns `undefined` where the video is to be made in one piece: it cannot be
 * cut, it is too short, or its picture is copied as it is.
 */
export function planOf(data: ResultData): PartsPlan | undefined {
  const { plan } = data
  return typeof plan === 'string' ? schema.parse(JSON.parse(plan)) : undefined
}

/** Reads a plan that was kept. Throws for one of another version. */
export const parsePlan = (kept: unknown): PartsPlan => schema.parse(kept)

/** The parts of a plan, by their numbers. Sound of its own is the first: all of the source may have to come for it. */
export function partsOf({ cuts, time_base: { num, den }, seconds, sound }: PartsPlan): VideoPart[] {
  const starts = [0, ...cuts.map((cut) => (cut * num) / den)]
  const pictures = starts.map((startSeconds, index): VideoPart => {
    const end = starts[index + 1] ?? seconds
    return { kind: 'picture', startSeconds, seconds: Math.max(0, end - startSeconds) }
  })
  return sound === 'apart' ? [{ kind: 'sound', startSeconds: 0, seconds: 0 }, ...pictures] : pictures
}

/**
 * Tells whether a part, or the join, was made. Where it was not, the plan does not hold and the video is made in one piece:
 * so what is wrong with a file is judged, and told, by one run over all of it.
 */
export const isMade = (data: ResultData): boolean => data['is_made'] !== false

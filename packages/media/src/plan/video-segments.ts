import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

/**
 * The tasks of a split video. `plan` and `part` have the job of `videos/process` with a partly present source.
 * `join` has the files of all parts, and no source.
 */
export const SEGMENT_TASKS = { plan: 'videos/plan-parts', part: 'videos/make-part', join: 'videos/join-parts' } as const

/** How to cut long videos. An unsplit video is encoded in stretches with the same cuts, so both files are equal. */
export type CutExtras = {
  /** The target length of a part in seconds. Parts are longer if frames are small or keyframes are far apart. */
  part_seconds: number
  /** The minimum number of pixels in all frames of a part. Then the cost of starting a part is small in comparison. */
  part_pixels?: number
  /** Only videos longer than this are cut, in seconds. The default is 0. */
  longer_than?: number
}

export type SegmentExtras = { plan: SegmentsPlan; part: number }

/** The parameters of `join`, with `parts` in order. Its `assets` are the parts as `MP4`, with the number as `url`. */
export type JoinParameters = { plan: SegmentsPlan; parts: readonly ResultData[] }

const ratio = z.strictObject({ num: z.int().min(1), den: z.int().min(1) })
const ticks = z.int()

// A reply has at most 10,000 characters. Times have up to 10 digits, and offsets up to 13.
export const MAX_CUTS = 350

const schema = z.strictObject({
  /** The version of the plan. Engines of another version reject the plan. */
  version: z.literal(2),
  /** The size of the source in bytes. If the size differs, the source has changed. */
  size: z.int().min(1),
  /** The SHA-256 of each additional file, in the job's order. It detects a file that changes between parts. */
  assets: z.array(z.string()).max(64),
  /** The starts of all parts except the first, in ticks of `time_base` from the start of playback. */
  cuts: z.array(ticks).min(1).max(MAX_CUTS),
  time_base: ratio,
  /** The byte offset of each cut if the file has no index, otherwise empty. */
  places: z.array(z.int().min(0)).max(MAX_CUTS),
  /** The time jumps of a broadcast: from part `cut` + 1 on, times are shifted by `seconds`. */
  jumps: z.array(z.strictObject({ cut: z.int().min(0), seconds: z.number() })).max(64),
  seconds: z.number().min(0),
  /** `beside`: each part copies its own range of audio. `apart`: a separate part copies or encodes all audio. */
  sound: z.enum(['none', 'beside', 'apart']),
  /** Whether the first frame is interlaced. Then each part also decodes the frame before its first frame. */
  isInterlaced: z.boolean(),
  /** The encoder settings of all parts, which the first frame determines. */
  encoder: z.strictObject({
    time_base: ratio,
    rate: ratio,
    matrix: z.enum(['bt709', 'smpte170m', 'bt470bg']),
    primaries: z.int(),
    transfer: z.int(),
  }),
})

/** The plan of a split video. It is stored with its request, and every part receives it unchanged. */
export type SegmentsPlan = z.output<typeof schema>

/** One part of a video. `seconds` is its share of the work, which is 0 for separate audio. */
export type VideoSegment = { kind: 'picture' | 'sound'; startSeconds: number; seconds: number }

/** Reads a plan. `undefined`: the video stays unsplit, because it cannot be cut, is short, or is copied. */
export function planOf(data: ResultData): SegmentsPlan | undefined {
  const { plan } = data
  return typeof plan === 'string' ? schema.parse(JSON.parse(plan)) : undefined
}

export const parsePlan = (kept: unknown): SegmentsPlan => schema.parse(kept)

/** Returns the parts of a plan, by number. Separate audio comes first, because it may need the whole source. */
export function segmentsOf({ cuts, time_base: { num, den }, seconds, sound: audio }: SegmentsPlan): VideoSegment[] {
  const starts = [0, ...cuts.map((cut) => (cut * num) / den)]
  const videoSegments = starts.map((startSeconds, index): VideoSegment => {
    const end = starts[index + 1] ?? seconds
    return { kind: 'picture', startSeconds, seconds: Math.max(0, end - startSeconds) }
  })
  return audio === 'apart' ? [{ kind: 'sound', startSeconds: 0, seconds: 0 }, ...videoSegments] : videoSegments
}

/** Returns whether a part was made. If not, the video is processed unsplit, and that run reports any error. */
export const isMade = (data: ResultData): boolean => data['is_made'] !== false

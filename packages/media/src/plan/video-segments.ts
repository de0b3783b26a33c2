import type { ResultData } from '@mediamill/contract/domain/request'
import { z } from 'zod'

/** `plan` and `part` read ranges of the source. `join` reads the files of all segments. */
export const SEGMENT_TASKS = { plan: 'videos/plan-parts', part: 'videos/make-part', join: 'videos/join-parts' } as const

/** Where to cut a long video. Unsplit videos use the same segments, so that splitting does not change the result. */
export type CutExtras = {
  /** The target length of a segment in seconds. Segments are longer if frames are small or keyframes are rare. */
  part_seconds: number
  /** The minimum sum of pixels over the frames of a segment. With fewer, starting the segment would cost too much. */
  part_pixels?: number
  /** The duration in seconds above which a video is cut. Default: 0. */
  longer_than?: number
}

export type SegmentExtras = { plan: SegmentsPlan; part: number }

/** The parameters of `join`: all segments' results in order. In the `assets` of the job, `url` is a segment number. */
export type JoinParameters = { plan: SegmentsPlan; parts: readonly ResultData[] }

const ratio = z.strictObject({ num: z.int().min(1), den: z.int().min(1) })
const ticks = z.int()

// The maximum number of cuts: a reply has at most 10,000 characters, and a cut up to 23 (time and offset).
export const MAX_CUTS = 350

const schema = z.strictObject({
  /** The version of the plan. Other versions of the engine reject the plan. */
  version: z.literal(2),
  /** The size of the source in bytes. If it differs later, the source has changed. */
  size: z.int().min(1),
  /** The SHA-256 of each additional file, in the job's order. It detects a file that changes between segments. */
  assets: z.array(z.string()).max(64),
  /** The start of each segment except the first, in ticks of `time_base` from the start of the video. */
  cuts: z.array(ticks).min(1).max(MAX_CUTS),
  time_base: ratio,
  /** The byte offset of each cut if the file has no index; otherwise empty. */
  places: z.array(z.int().min(0)).max(MAX_CUTS),
  /** Time jumps of a broadcast. After segment number `cut`, all times are shifted by `seconds`. */
  jumps: z.array(z.strictObject({ cut: z.int().min(0), seconds: z.number() })).max(64),
  seconds: z.number().min(0),
  /**
   * Where the audio is. `beside`: each segment copies its own audio. `apart`: one separate segment copies or encodes all
   * audio. Stored plans contain these names, so they do not change.
   */
  sound: z.enum(['none', 'beside', 'apart']),
  /** Whether the first frame is interlaced. If so, each segment also decodes the frame before its first frame. */
  isInterlaced: z.boolean(),
  encoder: z.strictObject({
    time_base: ratio,
    rate: ratio,
    matrix: z.enum(['bt709', 'smpte170m', 'bt470bg']),
    primaries: z.int(),
    transfer: z.int(),
  }),
})

export type SegmentsPlan = z.output<typeof schema>

/** One segment of a video. `seconds` is its share of the work: its duration, or 0 for separate audio. */
export type VideoSegment = { kind: 'video' | 'audio'; startSeconds: number; seconds: number }

/**
 * Returns the plan in result data, or `undefined` if the video stays unsplit, because it is short, cannot be cut, or is
 * copied.
 */
export function planOf(data: ResultData): SegmentsPlan | undefined {
  const { plan } = data
  return typeof plan === 'string' ? schema.parse(JSON.parse(plan)) : undefined
}

export const parsePlan = (stored: unknown): SegmentsPlan => schema.parse(stored)

/** Returns the segments of a plan. Separate audio is first, because it may need the whole source. */
export function segmentsOf({ cuts, time_base: { num, den }, seconds, sound: audio }: SegmentsPlan): VideoSegment[] {
  const starts = [0, ...cuts.map((cut) => (cut * num) / den)]
  const videoSegments = starts.map((startSeconds, index): VideoSegment => {
    const end = starts[index + 1] ?? seconds
    return { kind: 'video', startSeconds, seconds: Math.max(0, end - startSeconds) }
  })
  return audio === 'apart' ? [{ kind: 'audio', startSeconds: 0, seconds: 0 }, ...videoSegments] : videoSegments
}

/** Returns whether a segment was made. If not, the video is processed unsplit, which reports any error. */
export const isMade = (data: ResultData): boolean => data['is_made'] !== false

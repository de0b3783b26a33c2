/** A video does not fit the plan of its segments, and must be processed unsplit. */
export class PlanMismatchError extends Error {
  override name = 'PlanMismatchError'
}

/** Reading started too late to decode a segment's first frame. Repeat the work with an earlier start. */
export class StartTooLateError extends Error {
  override name = 'StartTooLateError'
}

/** Ticks from the start of playback. `from` is `undefined` at the start of the video, and `until` at the end. */
export type SegmentBounds = { from: bigint | undefined; until: bigint | undefined }

/** Finds the frames of a segment. Requires a frame exactly at each cut, so that no frame is lost or in two segments. */
export class SegmentWindow {
  readonly from: bigint | undefined
  readonly until: bigint | undefined
  hasBegun = false
  isComplete = false

  constructor({ from, until }: SegmentBounds) {
    this.from = from
    this.until = until
  }

  /**
   * Returns where a frame is relative to the segment. Throws `StartTooLateError` if no frame is exactly at the start,
   * and `PlanMismatchError` if no frame is exactly at the end.
   */
  place(time: bigint): 'before' | 'first' | 'within' | 'behind' {
    if (this.from !== undefined && time < this.from) return 'before'
    if (this.until !== undefined && time >= this.until) {
      if (!this.hasBegun)
        throw new StartTooLateError(`the first frame is at ${time}, but the segment ends at ${this.until}`)
      if (time !== this.until) throw new PlanMismatchError(`the segment ends at ${time}, not at ${this.until}`)
      this.isComplete = true
      return 'behind'
    }
    if (this.hasBegun) return 'within'
    if (this.from !== undefined && time !== this.from) {
      throw new StartTooLateError(`the first frame is at ${time}, not at ${this.from}`)
    }
    this.hasBegun = true
    return 'first'
  }
}

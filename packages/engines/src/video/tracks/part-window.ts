/** Tells that a video cannot be made in parts as it was planned. It is made in one piece instead. */
export class NotCut extends Error {
  override name = 'NotCut'
}

/** Tells that a part does not begin as it should where reading began. It has to begin further back. */
export class BeganTooLate extends Error {
  override name = 'BeganTooLate'
}

/** Where a part begins and ends, in ticks from the start of playing. The first has no beginning, the last no end. */
export type PartBounds = { from: bigint | undefined; until: bigint | undefined }

/**
 * Tells which frames belong to a part. They are those from its own cut on up to the next.
 *
 * Each cut has to be the time of a frame, seen from both sides: then no frame is lost between two parts, nor made twice.
 */
export class PartWindow {
  readonly from: bigint | undefined
  readonly until: bigint | undefined
  /** Whether a frame of the part came, and whether the first one behind it did. */
  hasBegun = false
  isComplete = false

  constructor({ from, until }: PartBounds) {
    this.from = from
    this.until = until
  }

  /** Where a frame lies. Throws `BeganTooLate` or `NotCut` when a cut is not where it should be. */
  place(time: bigint): 'before' | 'first' | 'within' | 'behind' {
    if (this.from !== undefined && time < this.from) return 'before'
    if (this.until !== undefined && time >= this.until) {
      if (!this.hasBegun) throw new BeganTooLate(`the first frame is at ${time}, behind ${this.until}`)
      if (time !== this.until) throw new NotCut(`the part ends at ${time}, not at ${this.until}`)
      this.isComplete = true
      return 'behind'
    }
    if (this.hasBegun) return 'within'
    if (this.from !== undefined && time !== this.from) {
      throw new BeganTooLate(`the first frame is at ${time}, not at ${this.from}`)
    }
    this.hasBegun = true
    return 'first'
  }
}

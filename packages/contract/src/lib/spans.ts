/** A set of byte ranges, kept apart and in order. Ends are one past the last byte. */
export class Spans {
  #spans: { start: number; end: number }[] = []

  add(start: number, end: number): void {
    if (end <= start) return
    const apart = this.#spans.filter((span) => span.end < start || span.start > end)
    const joined = this.#spans.filter((span) => span.end >= start && span.start <= end)
    apart.push({
      start: Math.min(start, ...joined.map((span) => span.start)),
      end: Math.max(end, ...joined.map((span) => span.end)),
    })
    this.#spans = apart.toSorted((a, b) => a.start - b.start)
  }

  /** Where the range that holds `place` ends, or `undefined` when none does. */
  endFrom(place: number): number | undefined {
    return this.#spans.find((span) => span.start <= place && place < span.end)?.end
  }

  /** Where the gap that begins at `place` ends, at `limit` at the latest. */
  gapEnd(place: number, limit: number): number {
    const next = this.#spans.find((span) => span.start > place)
    return Math.min(limit, next?.start ?? limit)
  }
}

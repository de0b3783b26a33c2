/** A sorted set of disjoint byte ranges with exclusive ends. */
export class ByteRanges {
  #ranges: { start: number; end: number }[] = []

  add(start: number, end: number): void {
    if (end <= start) return
    const apart = this.#ranges.filter((range) => range.end < start || range.start > end)
    const joined = this.#ranges.filter((range) => range.end >= start && range.start <= end)
    apart.push({
      start: Math.min(start, ...joined.map((range) => range.start)),
      end: Math.max(end, ...joined.map((range) => range.end)),
    })
    this.#ranges = apart.toSorted((a, b) => a.start - b.start)
  }

  endFrom(offset: number): number | undefined {
    return this.#ranges.find((range) => range.start <= offset && offset < range.end)?.end
  }

  gapEnd(offset: number, limit: number): number {
    const next = this.#ranges.find((range) => range.start > offset)
    return Math.min(limit, next?.start ?? limit)
  }
}

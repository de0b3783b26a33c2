/** A code range of `NODE_V8_COVERAGE` with its execution count. A nested range follows its outer range. */
type Range = { startOffset: number; endOffset: number; count: number }
type Script = { url: string; functions: { ranges: Range[] }[] }

export type Coverage = { result: Script[] }

/** Returns the executed ranges of a source of `length` characters: start, end, start, end, and so on. */
export function coveredRanges(scripts: readonly Pick<Script, 'functions'>[], length: number): number[] {
  const covered = new Uint8Array(length)
  for (const { functions } of scripts) {
    const counted = new Uint8Array(length)
    for (const { ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges) counted.fill(count > 0 ? 1 : 0, startOffset, endOffset)
    }
    for (let at = 0; at < length; at += 1) if (counted[at] === 1) covered[at] = 1
  }
  const ends: number[] = []
  for (let at = 0; at <= length; at += 1) if ((covered[at] ?? 0) !== (covered[at - 1] ?? 0)) ends.push(at)
  return ends
}

export function isCovered(ranges: readonly number[], at: number): boolean {
  const next = ranges.findIndex((end) => end > at)
  return next % 2 === 1
}

/** Returns the most similar candidate, or `undefined` if more than a third of the letters differ. Ignores case. */
export function didYouMean<Candidate extends string>(
  word: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const maxDistance = Math.floor(word.length / 3)
  // Candidates of very different length cannot match, and a long word would make comparisons slow.
  const alike = candidates.filter((candidate) => Math.abs(candidate.length - word.length) <= maxDistance)
  const ranked = alike
    .map((candidate) => ({ candidate, distance: distanceOf(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
  return ranked[0]?.candidate
}

/** Returns the number of typing mistakes between two words: added, removed, changed, or swapped letters. */
export function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      line[column] = Math.min(
        at(above, column) + 1,
        at(line, column - 1) + 1,
        at(above, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = above
    above = line
  }
  return at(above, b.length)
}

const at = (line: readonly number[], column: number) => line[column] ?? Number.POSITIVE_INFINITY

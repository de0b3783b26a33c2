import { readFile } from 'node:fs/promises'
import type { Mutant } from './make-mutants.ts'

/** How a mutant ended: `refused` by the compiler alone, or `hung` where the tests no longer came to an end. */
export type End = 'killed' | 'hung' | 'refused' | 'survived'

/** What one run found of a mutant: how it ended, and by which test. */
export type Kept = { id: string; end: End; by: string }

/** Names a mutant by what it changes: where that is in its file counts for nothing, since code above it may change. */
export const idOf = ({ path, was, now, nth }: Pick<Mutant, 'path' | 'was' | 'now' | 'nth'>) =>
  `${path} ${was} → ${now}${nth === 1 ? '' : ` (${nth})`}`

/** Reads what earlier runs have found; of a mutant that was tried again, the last. */
export async function readKept(path: string | undefined): Promise<Map<string, Kept>> {
  const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '')
  return new Map(linesOf(text).map((one) => [one.id, one]))
}

function linesOf(text: string): Kept[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): Kept => JSON.parse(line))
}

/** Returns the files of tests that noticed faults of each source, the oftenest last. */
export function mindedBy(kept: Iterable<Kept>): Map<string, string[]> {
  const counts = new Map<string, Map<string, number>>()
  for (const { id, end, by } of kept) {
    if (end === 'survived') continue
    const path = id.slice(0, id.indexOf(' '))
    const test = by.slice(0, by.indexOf(':'))
    const of = counts.get(path) ?? new Map<string, number>()
    counts.set(path, of.set(test, (of.get(test) ?? 0) + 1))
  }
  const byCount = (of: Map<string, number>) => [...of].toSorted((a, b) => a[1] - b[1]).map(([test]) => test)
  return new Map([...counts].map(([path, of]) => [path, byCount(of)]))
}

import type { SourceFile } from '../../support/violation.ts'
import type { Region } from './marker.ts'
import { regionsIn } from './marker.ts'

/**
 * A security check, the change that removes it, and the tests that must then fail. In the source, the comment `//
 * security check: NAME` is above the code of the check.
 */
export type SecurityCheck = { name: string; place: Position; tests: readonly string[] }

/** The region of a check, and the change that removes it. `nth` is the index among the regions with this marker. */
type Position = { marker: string; nth: number; removal: Removal }

type Pair = readonly [find: string, replace: string]

/**
 * How to remove a check. `gone` deletes its region. `never` and `always` set the condition of the region's first `if`.
 * A pair replaces text.
 */
export type Removal = 'gone' | 'never' | 'always' | readonly Pair[]

/** Replaces the text of each pair. In the text to find, `_` matches any name, so that renames do not matter. */
export const swap = (...pairs: readonly Pair[]): Removal => pairs

/** Selects a region by its marker. Use it if the marker differs from the check's name, or occurs several times. */
export const at = (marker: string, removal: Removal, nth = 0): Position => ({ marker, nth, removal })

/** Returns checks that have the same tests. `ways` maps the name of each check to the change that removes it. */
export function checksOf(tests: readonly string[], ways: Record<string, Removal | Position>): SecurityCheck[] {
  return Object.entries(ways).map(([name, way]) => ({
    name,
    tests,
    place: typeof way === 'object' && 'marker' in way ? way : at(name, way),
  }))
}

export function withoutCheck(files: readonly SourceFile[], { name, place }: SecurityCheck): SourceFile {
  const { path, text, start, end } = findPlace(files, place)
  return { path, text: text.slice(0, start) + remove(text.slice(start, end), place.removal, name) + text.slice(end) }
}

function findPlace(files: readonly SourceFile[], { marker, nth }: Position): Region & SourceFile {
  const found = files.flatMap((file) =>
    regionsIn(file)
      .filter((region) => region.marker === marker)
      .map((region) => ({ ...region, text: file.text })),
  )[nth]
  if (found === undefined) throw new Error(`No file has this marker, or too few have it: // security check: ${marker}`)
  return found
}

function remove(region: string, removal: Removal, name: string): string {
  if (removal === 'gone') return ''
  if (removal === 'never' || removal === 'always') {
    const start = region.search(/\bif \(/) + 'if ('.length
    if (start < 'if ('.length) throw new Error(`The region of "${name}" has no condition.`)
    return region.slice(0, start) + String(removal === 'always') + region.slice(closingFrom(region, start))
  }
  const spans = removal.map(([find, replace]) => {
    const [found, another] = region.matchAll(patternOf(find))
    if (found === undefined || another !== undefined)
      throw new Error(`The region of "${name}" must have this text once: ${find}`)
    return { start: found.index, end: found.index + found[0].length, replace }
  })
  return spans
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { start, end, replace }) => text.slice(0, start) + replace + text.slice(end), region)
}

function patternOf(find: string): RegExp {
  const literal = find.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(
    literal.replaceAll(/(?<![\w$])_(?![\w$])/g, String.raw`(?<![\w$#.])[#$\w]+(?:\.[#$\w]+)*(?![\w$])`),
    'g',
  )
}

/** Returns the position of the bracket that closes the bracket before `start`. Brackets must be balanced. */
function closingFrom(text: string, start: number): number {
  let depth = 1
  for (let index = start; index < text.length; index++) {
    if (text.charAt(index) === '(') depth++
    if (text.charAt(index) === ')') depth--
    if (depth === 0) return index
  }
  return text.length
}

import type { SourceFile } from '../support/violation.ts'
import type { Region } from './marker.ts'
import { regionsIn } from './marker.ts'

/**
 * One wall: how it is taken out, and the tests that must then fail.
 *
 * A wall is found by its marker, `// wall: what it keeps out`, above the statement, element or property that it is, in
 * whatever file that stands.
 */
export type Wall = { name: string; places: readonly Place[]; tests: readonly string[] }

/** Where something is taken out: below the `nth` marker of that name, or in a file that may hold no marker. */
export type Place = ({ marker: string; nth: number } | { file: string }) & { removal: Removal }

type Pair = readonly [find: string, replace: string]

/**
 * How something is taken out, so that a program is left that runs.
 *
 * `gone` leaves out what stands below the marker; `never` and `always` decide its first `if`; pairs put other words in the
 * place of some that are there once.
 */
export type Removal = 'gone' | 'never' | 'always' | readonly Pair[]

type Way = Removal | Place | readonly Place[]

/** Puts other words in the place of some below the marker; a `_` among them is any name, so that renames change nothing. */
export const swap = (...pairs: readonly Pair[]): Removal => pairs

/** A place below the marker of another wall, or below the second one of its own. */
export const at = (marker: string, removal: Removal, nth = 0): Place => ({ marker, nth, removal })

/** A place in a file that may never change. */
export const inFile = (file: string, removal: Removal): Place => ({ file, removal })

/** The walls that the same tests hold, each under the name that its marker has. */
export function wallsOf(tests: readonly string[], ways: Record<string, Way>): Wall[] {
  return Object.entries(ways).map(([name, way]) => ({
    name,
    tests,
    places: isRemoval(way) ? [at(name, way)] : 'removal' in way ? [way] : way,
  }))
}

const isRemoval = (way: Way): way is Removal =>
  typeof way === 'string' || (Array.isArray(way) && way.every((one) => Array.isArray(one)))

type Span = { start: number; end: number; replace: string }

/** The files that change when a wall is taken out, without it. Throws when one of its places is not there. */
export function withoutWall(files: readonly SourceFile[], wall: Wall): SourceFile[] {
  const spans = wall.places.map((place) => {
    const { path, text, start, end } = findPlace(files, place)
    return { path, text, spans: spansIn(text.slice(start, end), place.removal, wall.name).map(movedBy(start)) }
  })
  return [...Map.groupBy(spans, ({ path }) => path)].map(([path, found]) => ({
    path,
    text: replaceAll(
      found[0]?.text ?? '',
      found.flatMap((one) => one.spans),
    ),
  }))
}

function findPlace(files: readonly SourceFile[], place: Place): Omit<Region, 'marker'> & SourceFile {
  if ('file' in place) {
    const file = files.find(({ path }) => path === place.file)
    if (file === undefined) throw new Error(`there is no ${place.file}`)
    return { ...file, start: 0, end: file.text.length }
  }
  const found = files.flatMap((file) =>
    regionsIn(file)
      .filter(({ marker }) => marker === place.marker)
      .map((region) => ({ ...region, text: file.text })),
  )[place.nth]
  if (found === undefined) throw new Error(`no file has the marker, or not as often: // wall: ${place.marker}`)
  return found
}

function spansIn(text: string, removal: Removal, name: string): Span[] {
  if (removal === 'gone') return [{ start: 0, end: text.length, replace: '' }]
  if (removal === 'never' || removal === 'always') {
    const start = text.search(/\bif \(/) + 'if ('.length
    if (start < 'if ('.length) throw new Error(`there is no condition below the marker of "${name}"`)
    return [{ start, end: closingFrom(text, start), replace: String(removal === 'always') }]
  }
  return removal.map(([find, replace]) => {
    const [found, another] = text.matchAll(patternOf(find))
    if (found === undefined || another !== undefined) throw new Error(`"${name}" does not hold this once: ${find}`)
    return { start: found.index, end: found.index + found[0].length, replace }
  })
}

/** What `find` finds: itself, with any name and its members where a `_` stands for one. */
function patternOf(find: string): RegExp {
  const literal = find.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(
    literal.replaceAll(/(?<![\w$])_(?![\w$])/g, String.raw`(?<![\w$#.])[#$\w]+(?:\.[#$\w]+)*(?![\w$])`),
    'g',
  )
}

/** Where the bracket closes that is open at `start`. Strings of conditions hold no brackets that are not closed. */
function closingFrom(text: string, start: number): number {
  let depth = 1
  for (let index = start; index < text.length; index++) {
    if (text.charAt(index) === '(') depth++
    if (text.charAt(index) === ')') depth--
    if (depth === 0) return index
  }
  return text.length
}

const movedBy =
  (by: number) =>
  ({ start, end, replace }: Span): Span => ({ start: start + by, end: end + by, replace })

function replaceAll(text: string, spans: readonly Span[]): string {
  return spans
    .toSorted((one, other) => other.start - one.start)
    .reduce((left, { start, end, replace }) => left.slice(0, start) + replace + left.slice(end), text)
}

import type { Size } from '../domain/size.ts'
import type { DiagonalLines, PlacedWatermark } from './overlays.ts'
import { turnedSize } from './turned-size.ts'

type Place = { x: number; y: number }

/** What the plan has to know of a filter of libav that operations may name. */
type FilterDeclaration<Filter> = {
  /** The size it leaves. */
  sizeAfter: (filter: Filter, before: Size) => Size
  /** Whether it does nothing where it leaves the size as it is. */
  isOnlySize?: boolean
  /** Where it begins to read or to draw; colour planes of half size cannot follow an odd place. */
  placeOf?: (filter: Filter) => Place
  /** Whether it computes every pixel anew, and so brings the colour to any size at no pass more. */
  isScaling?: boolean
}

/** Declares a filter by its arguments and what it does. */
const filter = <Args extends object>(declared: FilterDeclaration<{ args: Args }>) => declared

/** Declares a filter that leaves the size as it is. */
const sameSize = <Args extends object>() => filter<Args>({ sizeAfter: (_, { width, height }) => ({ width, height }) })

type Box = { w: number; h: number }

const boxOf = ({ args }: { args: Box }): Size => ({ width: args.w, height: args.h })
const placeOfArgs = ({ args }: { args: Place }): Place => ({ x: args.x, y: args.y })

/**
 * The filters of libav that operations may name, with their arguments. To add one: an entry here.
 *
 * Every size and offset is a plain number, never an expression, so that the size a filter leaves can be read off it.
 */
const FILTERS = {
  scale: filter<Box>({ sizeAfter: boxOf, isOnlySize: true, isScaling: true }),
  crop: filter<Box & Place & { exact: 1 }>({ sizeAfter: boxOf, isOnlySize: true, placeOf: placeOfArgs }),
  pad: filter<Box & Place & { color: string }>({ sizeAfter: boxOf, isOnlySize: true, placeOf: placeOfArgs }),
  /** The angle is in radians. */
  rotate: filter<{ angle: number; out_w: number; out_h: number; fillcolor: string }>({
    sizeAfter: ({ args }) => ({ width: args.out_w, height: args.out_h }),
  }),
  transpose: filter<{ dir: 'clock' | 'cclock' }>({ sizeAfter: (_, before) => turnedSize(before, 90) }),
  hflip: sameSize<Record<string, never>>(),
  vflip: sameSize<Record<string, never>>(),
  hue: sameSize<{ s: number }>(),
}

type FilterName = keyof typeof FILTERS
type FilterOf<Name extends FilterName> =
  (typeof FILTERS)[Name] extends FilterDeclaration<{ args: infer Args }> ? { name: Name; args: Args } : never
type FilterNamed<Name extends FilterName> = { [N in Name]: FilterOf<N> }[Name]

/** Something drawn once and laid over every frame. */
export type OverlayFilter = ({ draw: 'mark' } & PlacedWatermark) | ({ draw: 'lines' } & DiagonalLines)

/** One filter of libav that operations may name. */
export type NamedFilter = FilterNamed<FilterName>

/**
 * The instructions that an operation may give for a video. Names and arguments are quoted in one place, where the graph
 * is built.
 */
export type VideoFilter = NamedFilter | OverlayFilter

// The same table under types in which a filter's own name finds the declaration of just that filter.
const DECLARED: { [Name in FilterName]: FilterDeclaration<FilterNamed<Name>> } = FILTERS

type Self<Name extends FilterName> = FilterNamed<Name> & { name: Name }

const sizeAfterSelf = <Name extends FilterName>(self: Self<Name>, before: Size) =>
  DECLARED[self.name].sizeAfter(self, before)
const placeOfSelf = <Name extends FilterName>(self: Self<Name>) => DECLARED[self.name].placeOf?.(self)

/** The size a filter leaves. */
export const sizeAfterFilter = (one: VideoFilter, before: Size): Size =>
  'draw' in one ? before : sizeAfterSelf(one, before)

/** Where a filter begins to read or draw. A drawing is prepared beforehand and lies at even places. */
export const placeOf = (one: VideoFilter): Place => ('draw' in one ? undefined : placeOfSelf(one)) ?? { x: 0, y: 0 }

/** Tells whether a filter computes every pixel anew. */
export const isScaling = (one: VideoFilter): boolean => 'name' in one && DECLARED[one.name].isScaling === true

/** Tells whether a filter does nothing. Such is a scale to the same size, or a crop or border of nothing. */
export function isIdle(one: VideoFilter, before: Size, after: Size): boolean {
  if ('draw' in one || DECLARED[one.name].isOnlySize !== true) return false
  return before.width === after.width && before.height === after.height
}

import type { Size } from '../domain/size.ts'
import type { DiagonalLines, PlacedWatermark } from './overlays.ts'
import { turnedSize } from './sizes.ts'

type Position = { x: number; y: number }

type FilterDeclaration<Filter> = {
  sizeAfter: (filter: Filter, before: Size) => Size
  /** Whether the filter only changes the size, so that the plan can omit a filter that keeps the size. */
  isOnlySize?: boolean
  /** Returns where the filter reads or draws. If color planes have half size, the position must be even. */
  positionOf?: (filter: Filter) => Position
  /** Whether the filter resamples every pixel, and can therefore change the color resolution in the same pass. */
  isScaling?: boolean
}

const filter = <Args extends object>(declared: FilterDeclaration<{ args: Args }>) => declared

const sameSize = <Args extends object>() => filter<Args>({ sizeAfter: (_, { width, height }) => ({ width, height }) })

type Box = { w: number; h: number }

const boxOf = ({ args }: { args: Box }): Size => ({ width: args.w, height: args.h })
const positionOfArgs = ({ args }: { args: Position }): Position => ({ x: args.x, y: args.y })

/** The filters. Sizes are numbers, not libav expressions, so that each filter's output size is known. */
const FILTERS = {
  scale: filter<Box>({ sizeAfter: boxOf, isOnlySize: true, isScaling: true }),
  crop: filter<Box & Position & { exact: 1 }>({ sizeAfter: boxOf, isOnlySize: true, positionOf: positionOfArgs }),
  pad: filter<Box & Position & { color: string }>({ sizeAfter: boxOf, isOnlySize: true, positionOf: positionOfArgs }),
  /** Rotates by `angle`, in radians. */
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

export type OverlayFilter = ({ draw: 'mark' } & PlacedWatermark) | ({ draw: 'lines' } & DiagonalLines)

export type NamedFilter = FilterNamed<FilterName>

export type VideoFilter = NamedFilter | OverlayFilter

// This type relates each name to its own declaration.
const DECLARED: { [Name in FilterName]: FilterDeclaration<FilterNamed<Name>> } = FILTERS

type Self<Name extends FilterName> = FilterNamed<Name> & { name: Name }

const sizeAfterSelf = <Name extends FilterName>(self: Self<Name>, before: Size) =>
  DECLARED[self.name].sizeAfter(self, before)
const positionOfSelf = <Name extends FilterName>(self: Self<Name>) => DECLARED[self.name].positionOf?.(self)

export const sizeAfterFilter = (one: VideoFilter, before: Size): Size =>
  'draw' in one ? before : sizeAfterSelf(one, before)

/** Returns where a filter reads or draws. An overlay counts as 0, 0, because the engine draws it from an even pixel. */
export const positionOf = (one: VideoFilter): Position =>
  ('draw' in one ? undefined : positionOfSelf(one)) ?? { x: 0, y: 0 }

export const isScaling = (one: VideoFilter): boolean => 'name' in one && DECLARED[one.name].isScaling === true

export function isIdle(one: VideoFilter, before: Size, after: Size): boolean {
  if ('draw' in one || DECLARED[one.name].isOnlySize !== true) return false
  return before.width === after.width && before.height === after.height
}

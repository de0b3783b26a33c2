import type { ImageStep } from '@mediamill/media/steps/image-steps'
import { z } from 'zod'
import { HEX_COLOR } from '../domain/color.ts'
import type { MediaType } from '../domain/media.ts'
import type { ImageFrame, Size } from '../domain/size.ts'
import type { Stamp } from '../drawing/document-stamps.ts'
import type { VideoFilter } from '../drawing/video-filters.ts'

/** A file that an operation needs besides the source. It is fetched before the work starts, once per URL. */
export type Asset = {
  /** The operation's parameter that names it, for error paths such as `operations.0.image_url`. */
  param: string
  url: string
}

/**
 * One operation: everything the service knows about it.
 *
 * A medium that is missing is not supported; Spec 4.5 has the table. Each medium's function is pure: parameters and
 * the size of the frame in, drawing instructions out. It may throw `RequestFailure` when nothing can be drawn.
 */
export type Operation<Params extends z.ZodObject = z.ZodObject> = {
  name: string
  /** One sentence for the catalog (Spec 2.7). */
  description: string
  /** A `z.strictObject`; `default`s and `.meta({ description })`s become the catalog and the OpenAPI document. */
  params: Params
  image?: (params: z.output<Params>, frame: ImageFrame) => ImageStep[]
  video?: (params: z.output<Params>, size: Size) => VideoFilter[]
  document?: (params: z.output<Params>, page: Size) => Stamp[]
  assets?: (params: z.output<Params>) => Asset[]
}

/**
 * Entries that no operation names. The compiler explains a step or filter of no list by the entry that is most like it,
 * and among equals by one that is put together of parts: these, so that its last line is the list that is to be edited.
 */
type Unlisted<Entry> = Entry & { [field: string]: unknown }
type UnlistedStep = Unlisted<{ step: 'a step of the list in packages/media/src/steps/image-steps.ts' }>
type UnlistedFilter = Unlisted<{ name: 'a filter of the list in packages/contract/src/drawing/video-filters.ts' }>

type Declared<Params extends z.ZodObject> = Omit<Operation<Params>, 'image' | 'video'> & {
  image?: (params: z.output<Params>, frame: ImageFrame) => (ImageStep | UnlistedStep)[]
  video?: (params: z.output<Params>, size: Size) => (VideoFilter | UnlistedFilter)[]
}

/** Declares an operation. Its parameters' type is known inside, and forgotten outside: the list holds them all. */
export function defineOperation<Params extends z.ZodObject>(operation: Declared<Params>): Operation {
  // The list is read through one type; every caller hands the functions what this operation's own schema parsed.
  return operation as unknown as Operation
}

/** Tells whether the operation works on the medium. */
export function supports(operation: Operation, media: MediaType): boolean {
  return operation[media] !== undefined
}

/** An integer number of pixels within inclusive bounds. */
export const pixels = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).meta({ description })

/** An optional boolean, `false` when it is left out. */
export const flag = (description: string) => z.boolean().default(false).meta({ description })

/** An integer within inclusive bounds. */
export const integer = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).meta({ description })

/** A colour in hex notation, with or without `#`: `rgb`, `rrggbb` or `rrggbbaa` (rulings 3). */
export const color = (description: string) =>
  z
    .string()
    .regex(HEX_COLOR, 'is not a hex color such as #ff8800')
    .meta({ description: `${description} Hex: \`#rgb\`, \`#rrggbb\`, or \`#rrggbbaa\`.` })

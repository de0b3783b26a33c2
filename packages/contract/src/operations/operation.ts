import type { ImageStep } from '@mediamill/media/steps/image-steps'
import { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import type { ImageFrame, Size } from '../domain/size.ts'
import type { Stamp } from '../drawing/overlays.ts'
import type { VideoFilter } from '../drawing/video-filters.ts'

export type Asset = {
  param: string
  url: string
}

/** An operation. `image`, `video`, and `document` return drawing steps, or throw `RequestFailure` if it cannot draw. */
export type Operation<Params extends z.ZodObject = z.ZodObject> = {
  name: string
  description: string
  params: Params
  image?: (params: z.output<Params>, frame: ImageFrame) => ImageStep[]
  video?: (params: z.output<Params>, size: Size) => VideoFilter[]
  document?: (params: z.output<Params>, page: Size) => Stamp[]
  assets?: (params: z.output<Params>) => Asset[]
}

/** A step or filter that is in no list. If an operation returns one, the compiler's error names the list. */
type Unlisted<Entry> = Entry & { [field: string]: unknown }
type UnlistedStep = Unlisted<{ step: 'a step of the list in packages/media/src/steps/image-steps.ts' }>
type UnlistedFilter = Unlisted<{ name: 'a filter of the list in packages/contract/src/drawing/video-filters.ts' }>

type Declared<Params extends z.ZodObject> = Omit<Operation<Params>, 'image' | 'video'> & {
  image?: (params: z.output<Params>, frame: ImageFrame) => (ImageStep | UnlistedStep)[]
  video?: (params: z.output<Params>, size: Size) => (VideoFilter | UnlistedFilter)[]
}

export function defineOperation<Params extends z.ZodObject>(operation: Declared<Params>): Operation {
  // Callers pass only parameters that the schema of this operation has parsed.
  return operation as unknown as Operation
}

export function supports(operation: Operation, media: MediaType): boolean {
  return operation[media] !== undefined
}

export const flag = (description: string) => z.boolean().default(false).meta({ description })

import { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import { MEDIA_TYPES, OUTPUT_FORMATS } from '../domain/media.ts'
import { findOperation, OPERATIONS } from './index.ts'
import type { Asset, Operation } from './operation.ts'
import { supports } from './operation.ts'

/** Spec 4.1: how many operations one request may have. */
export const MAX_OPERATIONS = 20

/** One element of `operations` after validation: its defaults are filled in. */
export type OperationInput = { type: string } & Record<string, unknown>

/**
 * The schema of `operations` for a medium: 1 to 20 elements told apart by `type`, each with its own parameters and no
 * others (Spec 4.1, 2.8). An operation that is unknown or not for this medium is an `invalid_union` issue at `N.type`;
 * `findOperation` and `supports` tell the two apart.
 */
export function operationsSchema(media: MediaType): z.ZodType<OperationInput[]> {
  return z
    .array(operationSchema(media))
    .min(1)
    .max(MAX_OPERATIONS)
    .meta({ description: 'Operations, run in order from the first to the last.' })
}

const operationSchemas = new Map<MediaType, z.ZodType<OperationInput>>()

/** The schema of one element of `operations` for a medium. */
export function operationSchema(media: MediaType): z.ZodType<OperationInput> {
  const known = operationSchemas.get(media)
  if (known !== undefined) return known
  const [first, ...others] = OPERATIONS.filter((operation) => supports(operation, media)).map(operationWithType)
  if (first === undefined) throw new RangeError(`no operation works on ${media}`)
  // Every member's output is its `type` and its parameters; the union's own type does not say so much.
  const schema = z.discriminatedUnion('type', [first, ...others]) as unknown as z.ZodType<OperationInput>
  operationSchemas.set(media, schema)
  return schema
}

/** The schema of an operation as an element of `operations`: its parameters, and its name as `type`. */
export const operationWithType = (operation: Operation) =>
  z
    .strictObject({ type: z.literal(operation.name), ...operation.params.shape })
    .meta({ title: operation.name, description: operation.description })

/** The files that a list of operations needs besides the source, each with the operation that names it. */
export function assetsOf(operations: readonly OperationInput[]): (Asset & { operation: number })[] {
  return operations.flatMap(({ type, ...params }, operation) =>
    (findOperation(type)?.assets?.(params) ?? []).map((asset) => ({ operation, ...asset })),
  )
}

export type CatalogParam = {
  description: string
  required: boolean
  default?: unknown
  type: string
  minimum?: number
  maximum?: number
  enum?: unknown[]
}
export type CatalogOperation = { description: string; params: Record<string, CatalogParam> }
export type Catalog = Record<MediaType, { formats: string[]; operations: Record<string, CatalogOperation> }>

/** The operation catalog: what each medium can be written as, and what can be done to it (Spec 2.7, rulings 11). */
export function catalog(): Catalog {
  const [image, video, document] = MEDIA_TYPES.map((media) => ({
    formats: [...OUTPUT_FORMATS[media]],
    operations: Object.fromEntries(
      OPERATIONS.filter((operation) => supports(operation, media)).map((operation) => [
        operation.name,
        { description: operation.description, params: catalogParams(operation) },
      ]),
    ),
  })) as [Catalog['image'], Catalog['video'], Catalog['document']]
  return { image, video, document }
}

function catalogParams(operation: Operation): Record<string, CatalogParam> {
  const { properties = {}, required = [] } = z.toJSONSchema(operation.params, { io: 'input' })
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, catalogParam(schema, required.includes(name))]),
  )
}

function catalogParam(schema: z.core.JSONSchema._JSONSchema, required: boolean): CatalogParam {
  if (typeof schema === 'boolean') throw new TypeError('a parameter needs a type')
  const { description = '', type, minimum, maximum } = schema
  if (typeof type !== 'string') throw new TypeError('a parameter needs one type')
  return {
    description,
    required,
    ...(schema.default !== undefined && { default: schema.default }),
    type,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(schema.enum !== undefined && { enum: schema.enum }),
  }
}

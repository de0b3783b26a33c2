import { z } from 'zod'
import { MAX_OPERATIONS } from '../domain/limits.ts'
import type { MediaType } from '../domain/media.ts'
import { schemaName } from '../lib/schema-name.ts'
import { findOperation, OPERATIONS } from './index.ts'
import type { Asset, Operation } from './operation.ts'
import { supports } from './operation.ts'

export type OperationInput = { type: string } & Record<string, unknown>

/** Returns the schema of operations. If operation N is unknown or unsupported, reports `invalid_union` at `N.type`. */
export function operationsSchema(media: MediaType): z.ZodType<OperationInput[]> {
  return z
    .array(operationSchema(media))
    .min(1)
    .max(MAX_OPERATIONS)
    .meta({ description: 'Operations, run in order from the first to the last.' })
}

export function outputOperationsSchema(media: MediaType) {
  return z
    .array(operationSchema(media))
    .max(MAX_OPERATIONS)
    .default([])
    .meta({ description: 'Operations of this file, run on the result of the request’s operations.' })
}

const PLURALS = { image: 'images', video: 'videos', document: 'documents' } as const

const operationSchemas = new Map<MediaType, z.ZodType<OperationInput>>()

export function operationSchema(media: MediaType): z.ZodType<OperationInput> {
  const known = operationSchemas.get(media)
  if (known !== undefined) return known
  const [first, ...others] = OPERATIONS.filter((operation) => supports(operation, media)).map(operationWithType)
  if (first === undefined) throw new RangeError(`no operation works on ${media}`)
  // Each member of the union parses to a `type` and its parameters, but the type of the union does not express this.
  const schema = z.discriminatedUnion('type', [first, ...others]).meta({
    id: `${schemaName(media)}Operation`,
    description: `An operation on ${PLURALS[media]}.`,
  }) as unknown as z.ZodType<OperationInput>
  operationSchemas.set(media, schema)
  return schema
}

const withType = new Map<string, ReturnType<typeof addType>>()

function operationWithType(operation: Operation) {
  const schema = withType.get(operation.name) ?? addType(operation)
  withType.set(operation.name, schema)
  return schema
}

const addType = (operation: Operation) =>
  z
    .strictObject({
      type: z.literal(operation.name).meta({ description: `Always \`${operation.name}\`.` }),
      ...operation.params.shape,
    })
    .meta({ id: `${schemaName(operation.name)}Operation`, title: operation.name, description: operation.description })

export function assetsOf(operations: readonly OperationInput[]): (Asset & { operation: number })[] {
  return operations.flatMap(({ type, ...params }, operation) =>
    (findOperation(type)?.assets?.(params) ?? []).map((asset) => ({ operation, ...asset })),
  )
}

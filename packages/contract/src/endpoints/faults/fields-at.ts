import type { z } from 'zod'
import { findOperation } from '../../operations/index.ts'
import { operationSchema } from '../../operations/schema.ts'
import { commonFields } from '../common-fields.ts'
import type { Taker } from './taker.ts'
import { ownSchema } from './wanted.ts'

/** The value at a path of a body; `undefined` where there is none. */
export function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** Returns the key under which a body holds operations, by its schema. It is `undefined` when it takes none. */
export function operationsKey({ body, media }: Taker): string | undefined {
  const element = operationSchema(media)
  const found = Object.entries(body.shape as Fields).find(([, field]) => {
    const { def } = ownSchema(field)._zod
    return 'element' in def && def.element === element
  })
  return found?.[0]
}

/** Tells whether a path leads to the operations of a body, or into them. */
export const isInOperations = (endpoint: Taker, path: readonly PropertyKey[]): boolean =>
  path.length > 0 && path[0] === operationsKey(endpoint)

export type Fields = Readonly<Record<string, z.ZodType>>

/** The fields that the object at a path takes, by their names. It is `undefined` where any or none may be. */
export function fieldsAt(endpoint: Taker, body: unknown, path: readonly PropertyKey[]): Fields | undefined {
  if (path.length === 0) return { ...(endpoint.isBare ? {} : commonFields), ...(endpoint.body.shape as Fields) }
  if (path.length === 2 && isInOperations(endpoint, path)) {
    const type = valueAt(body, [...path, 'type'])
    return typeof type === 'string' ? (findOperation(type)?.params.shape as Fields | undefined) : undefined
  }
  const field = fieldAt(endpoint, body, path)
  return field === undefined ? undefined : (ownSchema(field) as { shape?: Fields }).shape
}

/** The schema of the field at a path, where it has one of its own. */
export function fieldAt(endpoint: Taker, body: unknown, path: readonly PropertyKey[]): z.ZodType | undefined {
  const fields = fieldsAt(endpoint, body, path.slice(0, -1))
  const name = String(path.at(-1))
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** Tells whether a field may be left out. */
export const isOptional = (field: z.ZodType) => field._zod.optin !== undefined

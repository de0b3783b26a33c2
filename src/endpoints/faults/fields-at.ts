import type { z } from 'zod'
import { findOperation } from '../../operations/index.ts'
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

export type Fields = Readonly<Record<string, z.ZodType>>

/** The fields that the object at a path takes, by their names; `undefined` where any or none may be. */
export function fieldsAt(endpoint: Taker, body: unknown, path: readonly PropertyKey[]): Fields | undefined {
  if (path.length === 0) return { ...(endpoint.isBare ? {} : commonFields), ...(endpoint.body.shape as Fields) }
  if (path[0] === 'operations' && path.length === 2) {
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

/** Whether a field may be left out. */
export const isOptional = (field: z.ZodType) => field._zod.optin !== undefined

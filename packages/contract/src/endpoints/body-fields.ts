import type { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import { findOperation } from '../operations/index.ts'
import { operationSchema } from '../operations/schema.ts'
import { ownSchema } from './describe-schema.ts'
import type { Endpoint } from './endpoint.ts'

/** A request body: its schema, its name in messages, and its endpoint if the body can contain operations. */
export type BodyOwner = { name: string; schema: z.ZodObject; endpoint?: Endpoint }

export type Fields = Readonly<Record<string, z.ZodType>>

export function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

export type OperationList = {
  media: MediaType
  /** The number of path elements of the list: 1 for `operations`, 3 for `outputs.0.operations`. */
  depth: number
  minimum: number
  example: string
}

export function operationsAt({ endpoint }: BodyOwner, path: readonly PropertyKey[]): OperationList | undefined {
  if (endpoint === undefined || path.length === 0) return undefined
  const own = operationsKey(endpoint)
  if (own !== undefined && path[0] === own) {
    const [first] = endpoint.example.body[own] as [{ type: string }]
    return { media: endpoint.media, depth: 1, minimum: 1, example: first.type }
  }
  if (path[0] !== 'outputs' || path[2] !== 'operations' || !Object.hasOwn(endpoint.body.shape, 'outputs')) {
    return undefined
  }
  return { media: 'image', depth: 3, minimum: 0, example: 'resize' }
}

export function operationsKey({ body, media }: Endpoint): string | undefined {
  const element = operationSchema(media)
  const found = Object.entries(body.shape as Fields).find(([, field]) => {
    const { def } = ownSchema(field)._zod
    return 'element' in def && def.element === element
  })
  return found?.[0]
}

export function fieldsAt(owner: BodyOwner, body: unknown, path: readonly PropertyKey[]): Fields | undefined {
  if (path.length === 0) return owner.schema.shape as Fields
  if (operationsAt(owner, path)?.depth === path.length - 1) {
    const type = valueAt(body, [...path, 'type'])
    return typeof type === 'string' ? (findOperation(type)?.params.shape as Fields | undefined) : undefined
  }
  const field = fieldAt(owner, body, path)
  return field === undefined ? undefined : (ownSchema(field) as { shape?: Fields }).shape
}

function elementAt(owner: BodyOwner, body: unknown, path: readonly PropertyKey[]): z.ZodType | undefined {
  const list = fieldAt(owner, body, path.slice(0, -1))
  const { def } = list === undefined ? { def: {} } : ownSchema(list)._zod
  return 'element' in def ? (def.element as z.ZodType) : undefined
}

export function fieldAt(owner: BodyOwner, body: unknown, path: readonly PropertyKey[]): z.ZodType | undefined {
  if (typeof path.at(-1) === 'number') return elementAt(owner, body, path)
  const fields = fieldsAt(owner, body, path.slice(0, -1))
  const name = String(path.at(-1))
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
}

export const isOptional = (field: z.ZodType) => field._zod.optin !== undefined

import { z } from 'zod'

/** A JSON Schema, or any other part of the description. */
export type Json = { [name: string]: unknown }

/** The schema of what a caller sends: closed, as the declaration is. */
export function sentSchema(schema: z.ZodType): Json {
  return tidy(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), { open: false })
}

/** The schema of what the service answers: open, since fields may be added at any time (rulings 13). */
export function answeredSchema(schema: z.ZodType): Json {
  return tidy(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }), { open: true })
}

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** `images/process` is `ImagesProcess`, `remove_background` is `RemoveBackground`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[/_])([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

/** Without what tells a reader nothing: the draft's address, and the bounds that every integer in JSON has. */
function tidy(schema: object, options: { open: boolean }): Json {
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$schema') return []
    if (name === 'additionalProperties' && value === false && options.open) return []
    if (value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER) return []
    if (Array.isArray(value)) return [[name, value.map((item) => (isObject(item) ? tidy(item, options) : item))]]
    return [[name, isObject(value) ? tidy(value, options) : value]]
  })
  return Object.fromEntries(entries)
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

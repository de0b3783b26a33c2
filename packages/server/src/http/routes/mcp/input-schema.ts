import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { z } from 'zod'

export type JsonObject = { [name: string]: unknown }

/** What tells a model nothing that the words beside it do not, and would be sent with every list of tools. */
const LEFT_OUT = new Set(['$schema', '$defs', 'id', 'title', 'additionalProperties', 'format', 'maxLength'])

/** Longer patterns say less to a model than the words beside them. */
const MAX_PATTERN = 60

/**
 * Writes the fields of an endpoint's body as a model reads them. They have no references, and nothing that only
 * machines need.
 */
export function bodyFields(endpoint: Endpoint): { properties: JsonObject; required: string[] } {
  return schemaFields(endpoint.body)
}

/** The same of any object. */
export function schemaFields(body: z.ZodType): { properties: JsonObject; required: string[] } {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
  const definitions = (schema.$defs ?? {}) as Record<string, JsonObject>
  const { properties = {}, required = [] } = shortened(schema as JsonObject, definitions)
  return { properties: properties as JsonObject, required: required as string[] }
}

/** A schema with its references written out: hosts differ in how they read `$ref`, and each is used once or twice. */
function shortened(schema: JsonObject, definitions: Record<string, JsonObject>): JsonObject {
  const { $ref } = schema
  const named = typeof $ref === 'string' ? (definitions[$ref.replace('#/$defs/', '')] ?? {}) : {}
  const whole: JsonObject = { ...named, ...schema }
  const entries = Object.entries(whole).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$ref' || LEFT_OUT.has(name) || (name === 'type' && 'const' in whole)) return []
    if (name === 'description' && 'const' in whole) return []
    if (name === 'pattern' && String(value).length > MAX_PATTERN) return []
    // The pattern says the same.
    if (name === 'description' && 'pattern' in whole) return [[name, String(value).split(' Hex: ', 1)[0]]]
    if (name === 'default' && isObject(value)) return []
    if (name === 'properties' && isObject(value)) return [[name, mapped(value, definitions)]]
    if (Array.isArray(value))
      return [[name, value.map((item) => (isObject(item) ? shortened(item, definitions) : item))]]
    return [[name, isObject(value) ? shortened(value, definitions) : value]]
  })
  return Object.fromEntries(entries)
}

/** The same of every field, whose names may be any of the words above. */
function mapped(properties: JsonObject, definitions: Record<string, JsonObject>): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, isObject(field) ? shortened(field, definitions) : field]),
  )
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

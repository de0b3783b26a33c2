import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { z } from 'zod'

export type JsonObject = { [name: string]: unknown }

/** Keywords to omit: they repeat the description, and would lengthen every list of tools. */
const LEFT_OUT = new Set(['$schema', '$defs', 'id', 'title', 'additionalProperties', 'format', 'maxLength'])

/** The maximum length of a pattern. A longer one helps a model less than the description. */
const MAX_PATTERN = 60

/** Returns the JSON Schema of an endpoint's body in a short form for language models: no `$ref`, and few keywords. */
export function bodyFields(endpoint: Endpoint): { properties: JsonObject; required: string[] } {
  return schemaFields(endpoint.body)
}

export function schemaFields(body: z.ZodType): { properties: JsonObject; required: string[] } {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
  const definitions = (schema.$defs ?? {}) as Record<string, JsonObject>
  const { properties = {}, required = [] } = shortened(schema as JsonObject, definitions)
  return { properties: properties as JsonObject, required: required as string[] }
}

function shortened(schema: JsonObject, definitions: Record<string, JsonObject>): JsonObject {
  const { $ref } = schema
  const named = typeof $ref === 'string' ? (definitions[$ref.replace('#/$defs/', '')] ?? {}) : {}
  const whole: JsonObject = { ...named, ...schema }
  const entries = Object.entries(whole).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$ref' || LEFT_OUT.has(name) || (name === 'type' && 'const' in whole)) return []
    if (name === 'description' && ('const' in whole || 'oneOf' in whole)) return []
    // Every integer without a maximum has this one.
    if (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) return []
    if (name === 'pattern' && String(value).length > MAX_PATTERN) return []
    // The rest of the description repeats the pattern.
    if (name === 'description' && 'pattern' in whole) return [[name, String(value).split(' Hex: ', 1)[0]]]
    if (name === 'default' && isObject(value)) return []
    if (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) return []
    if (name === 'properties' && isObject(value)) return [[name, mapped(value, definitions)]]
    if (Array.isArray(value))
      return [[name, value.map((item) => (isObject(item) ? shortened(item, definitions) : item))]]
    return [[name, isObject(value) ? shortened(value, definitions) : value]]
  })
  return Object.fromEntries(entries)
}

/** Shortens every field. The keys are names of fields, even if they are keywords. */
function mapped(properties: JsonObject, definitions: Record<string, JsonObject>): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, isObject(field) ? shortened(field, definitions) : field]),
  )
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

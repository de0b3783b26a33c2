import { z } from 'zod'

export type JsonObject = { [name: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keywords to omit. They repeat the description, and would make every list of tools longer. */
const LEFT_OUT = new Set(['$schema', '$defs', 'id', 'title', 'additionalProperties', 'format', 'maxLength'])

/** The maximum length of a pattern. The description helps a model more than a longer pattern. */
const MAX_PATTERN = 60

/** Returns the fields of a body as short JSON Schemas for language models: no `$ref`, and few keywords. */
export function schemaFields(body: z.ZodType): JsonObject {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
  const definitions = (schema.$defs ?? {}) as Record<string, JsonObject>
  return shortened(schema as JsonObject, definitions)['properties'] as JsonObject
}

function shortened(schema: JsonObject, definitions: Record<string, JsonObject>): JsonObject {
  const { $ref } = schema
  const named = typeof $ref === 'string' ? (definitions[$ref.replace('#/$defs/', '')] ?? {}) : {}
  const whole: JsonObject = { ...named, ...schema }
  const entries = Object.entries(whole).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$ref' || LEFT_OUT.has(name) || (name === 'type' && 'const' in whole)) return []
    if (name === 'description' && ('const' in whole || 'oneOf' in whole)) return []
    // Every integer without its own maximum has this maximum, so the keyword is omitted.
    if (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) return []
    if (name === 'pattern' && String(value).length > MAX_PATTERN) return []
    // The description repeats the pattern after ` Hex: `, so that text is omitted.
    if (name === 'description' && 'pattern' in whole) return [[name, String(value).split(' Hex: ', 1)[0]]]
    if (name === 'default' && isObject(value)) return []
    if (name === 'properties' && isObject(value)) return [[name, mapped(value, definitions)]]
    if (Array.isArray(value))
      return [[name, value.map((item) => (isObject(item) ? shortened(item, definitions) : item))]]
    return [[name, isObject(value) ? shortened(value, definitions) : value]]
  })
  return Object.fromEntries(entries)
}

/** Shortens fields. The keys of `properties` are field names, even if a field is named like a JSON Schema keyword. */
function mapped(properties: JsonObject, definitions: Record<string, JsonObject>): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, isObject(field) ? shortened(field, definitions) : field]),
  )
}

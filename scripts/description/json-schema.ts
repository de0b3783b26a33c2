import { z } from 'zod'

export type Json = { [name: string]: unknown }

export type Schemas = Map<string, Json>

export function sentSchema(schema: z.ZodType, schemas: Schemas): Json {
  return convert(schema, 'input', schemas)
}

/** Returns the schema of a response body. Unknown fields are allowed, because fields may be added (api.versions.1). */
export function responseSchema(schema: z.ZodType, schemas: Schemas): Json {
  return convert(schema, 'output', schemas)
}

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

function convert(schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): Json {
  const { $defs = {}, ...own } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod
      if (def.type === 'union' && 'discriminator' in def && jsonSchema.oneOf !== undefined) {
        jsonSchema['discriminator'] = { propertyName: def.discriminator }
      }
    },
  })
  for (const [name, definition] of Object.entries($defs)) {
    const tidied = tidy(definition, io)
    const known = schemas.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(tidied)) {
      throw new Error(`two schemas are named ${name}: requests and responses need different names`)
    }
    schemas.set(name, tidied)
  }
  return tidy(own, io)
}

function tidy(schema: object, io: 'input' | 'output'): Json {
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (name === '$schema' || name === 'id') return []
    if (name === '$ref') return [[name, String(value).replace('#/$defs/', '#/components/schemas/')]]
    // This response field repeats a request field, so it uses the request field's schema without defaults.
    if (name === 'echo') return [['$ref', `#/components/schemas/${value}`]]
    if (name === 'default') return documentedDefault(value)
    if (name === 'additionalProperties' && value === false && io === 'output') return []
    if (name === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') return []
    if (name === 'pattern' && 'format' in schema) return []
    if (value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER) return []
    // The keys of `properties` are field names, even if a field has the name of a JSON Schema keyword.
    if (name === 'properties' && isObject(value)) {
      return [[name, Object.fromEntries(Object.entries(value).map(([key, field]) => [key, tidy(field as Json, io)]))]]
    }
    if (Array.isArray(value)) return [[name, value.map((item) => (isObject(item) ? tidy(item, io) : item))]]
    return [[name, isObject(value) ? tidy(value, io) : value]]
  })
  const tidied: Json = Object.fromEntries(entries)
  const fallback = tidied['x-default']
  if (fallback === undefined) return tidied
  return {
    ...tidied,
    description: [tidied['description'], `Default: \`${JSON.stringify(fallback).replaceAll('"', '')}\`.`]
      .join(' ')
      .trimStart(),
  }
}

/** Describes a default as `x-default`. With `default`, openapi-typescript would make the field required in requests. */
const documentedDefault = (value: unknown): [string, unknown][] => (isObject(value) ? [] : [['x-default', value]])

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function componentsOf(schemas: Schemas): Json {
  const named = [...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(named.map(([name, schema]) => [name, withMapping(schema, schemas)]))
}

/** Removes the discriminator if a member of the union has no constant value in the discriminator's field. */
function withMapping(schema: Json, schemas: Schemas): Json {
  const { discriminator, ...plain } = schema
  if (!isObject(discriminator)) return schema
  const { propertyName } = discriminator as { propertyName: string }
  const members = (plain['oneOf'] as { $ref: string }[]).map(({ $ref }) => ({
    $ref,
    value: valueOf($ref, propertyName),
  }))
  if (members.some(({ value }) => value === undefined)) return plain
  const mapping = Object.fromEntries(members.map(({ $ref, value }) => [value, $ref]))
  return { ...plain, discriminator: { propertyName, mapping } }

  function valueOf($ref: string, property: string): unknown {
    const properties = schemas.get($ref.split('/').at(-1) ?? '')?.['properties'] as Record<string, Json> | undefined
    return properties?.[property]?.['const']
  }
}

import { z } from 'zod'

/**
 * Finds the schema of what stands at a path of a value: the option that the value chose where there are several.
 *
 * `undefined` where the schema knows no such place.
 */
export function schemaAt(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
): z.core.$ZodType | undefined {
  const known = unwrapped(schema, value)
  const [key, ...rest] = path
  if (key === undefined) return known
  const inner =
    known instanceof z.ZodArray ? known.element : known instanceof z.ZodObject ? known.shape[String(key)] : undefined
  return inner === undefined ? undefined : schemaAt(inner, memberOf(value, key), rest)
}

/** Reads what is under a key of a value of any kind. */
export function memberOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<PropertyKey, unknown>)[key]
}

function unwrapped(schema: z.core.$ZodType, value: unknown): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap(), value)
  }
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema
  const chosen = memberOf(value, schema.def.discriminator)
  return schema.options.find((option) => {
    const named = option instanceof z.ZodObject ? option.shape[schema.def.discriminator] : undefined
    return named instanceof z.ZodLiteral && named.values.has(chosen as string)
  })
}

import { z } from 'zod'
import { HEX_COLOR } from '../domain/color.ts'
import { OUTPUT_NAME } from '../domain/media.ts'
import { ORIGIN } from '../domain/uploads.ts'
import { didYouMean } from '../lib/did-you-mean.ts'

export const ANY_TEXT = 'a string'

/** Describes the valid values of a field as the end of "must be …": `an integer from 1 to 20000`. */
export function describeSchema(schema: z.ZodType): string {
  const known = words.get(schema) ?? describe(jsonSchemaOf(ownSchema(schema)))
  words.set(schema, known)
  return known
}

export function suggestOption(value: string, options: readonly string[]): string {
  const meant = didYouMean(value, options)
  if (meant !== undefined) return `; did you mean ${meant}?`
  if (value.toLowerCase() === 'avif' && options.includes('jpg')) return '; only outputs supports avif'
  const instead = FORMAT_INSTEAD.get(value.toLowerCase()) ?? gravityOf(value)
  return options.includes(instead) ? `; use ${instead} instead` : ''
}

/** Converts position names of other services, such as `bottom-right`, to a value of `gravity`. */
const gravityOf = (value: string): string =>
  Object.entries({ top: 'north', bottom: 'south', left: 'west', right: 'east' })
    .reduce((name, [side, direction]) => name.replace(side, direction), value.toLowerCase())
    .replace(/[^a-z]/, '_')

const FORMAT_INSTEAD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    jxl: 'webp',
    heic: 'jpg',
    bmp: 'png',
    svg: 'png',
    mov: 'mp4',
    webm: 'mp4',
    mkv: 'mp4',
  }),
)

function jsonSchemaOf(schema: z.ZodType): Schema {
  const { $defs = {}, $ref = '', ...own } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return $defs[$ref.split('/').at(-1) ?? ''] ?? own
}

export function ownSchema(schema: z.ZodType): z.ZodType {
  const { def } = schema._zod
  return 'innerType' in def ? ownSchema(def.innerType as z.ZodType) : schema
}

/** Caches descriptions, because a body can have a thousand errors, and describing a schema is slow. */
const words = new WeakMap<z.ZodType, string>()

type Schema = z.core.JSONSchema.BaseSchema

function describe(schema: Schema): string {
  if (schema.const !== undefined) return String(schema.const)
  if (schema.enum !== undefined) return `${schema.enum.length > 1 ? 'one of ' : ''}${schema.enum.join(', ')}`
  if (schema.anyOf !== undefined) return schema.anyOf.map((option) => describe(option as Schema)).join(' or ')
  switch (schema.type) {
    case 'integer':
      return `an integer${range(schema)}`
    case 'number':
      return `a number${range(schema)}`
    case 'boolean':
      return 'true or false'
    case 'string':
      return describeText(schema)
    case 'array':
      return schema.maxItems === undefined
        ? 'an array'
        : `an array of ${schema.minItems} to ${schema.maxItems} elements`
    case 'object':
      return describeObject(schema)
    case 'null':
    case undefined:
      break
  }
  return 'of another type'
}

function range({ minimum, maximum }: Schema): string {
  const isBound = (value: number | undefined): value is number => value !== undefined && Number.isSafeInteger(value)
  const isOwn = (value: number | undefined) => isBound(value) && Math.abs(value) !== Number.MAX_SAFE_INTEGER
  if (!isOwn(minimum)) return ''
  return isOwn(maximum) ? ` from ${minimum} to ${maximum}` : ` of at least ${minimum}`
}

function describeText({ pattern, format, minLength = 0, maxLength }: Schema): string {
  if (pattern === HEX_COLOR.source) return 'a hex color such as #ff8800'
  if (pattern === ORIGIN.source) return 'an origin such as https://app.example.com'
  if (pattern === OUTPUT_NAME.source) return '1 to 64 characters of a-z, 0-9, _, and -'
  if (format === 'uri') return 'an http or https URL'
  if (format === 'date') return 'a date such as 2026-11-21'
  if (maxLength === undefined) return ANY_TEXT
  return minLength > 0
    ? `a string of ${minLength} to ${maxLength} characters`
    : `a string of at most ${maxLength} characters`
}

function describeObject({ properties, additionalProperties }: Schema): string {
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]) =>
    typeof field === 'object' ? exampleOf(name, field) : [],
  )
  if (fields.length > 0) return `an object such as {${fields.join(', ')}}`
  const ofTexts = typeof additionalProperties === 'object' && additionalProperties.type === 'string'
  return ofTexts ? 'an object of strings such as {"order": "1977"}' : 'an object'
}

function exampleOf(name: string, { enum: values, format }: Schema): string[] {
  if (values !== undefined) return [`"${name}": ${JSON.stringify(values[0])}`]
  return format === 'uri' ? [`"${name}": "https://…"`] : []
}

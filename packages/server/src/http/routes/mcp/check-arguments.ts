import { quoteValue } from '@mediamill/contract/lib/format-text'
import type { JsonObject } from './input-schema.ts'
import { isObject } from './input-schema.ts'

type Schema = {
  type?: string
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  minimum?: number
  maximum?: number
}

/** Quotes an argument named `__proto__`, because the MCP library would remove the argument without an error. */
export function quoteProto(message: unknown): void {
  const args = (message as { params?: { arguments?: unknown } } | null)?.params?.arguments
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, '__proto__')) return
  const { ['__proto__']: value, ...others } = args as JsonObject
  Object.assign((message as { params: object }).params, { arguments: { ...others, '"__proto__"': value } })
}

export function argumentErrors(schema: JsonObject, input: JsonObject, path = ''): string[] {
  const { properties = {}, required = [] } = schema as Schema
  const fields = Object.keys(properties)
  const known = fields.length === 0 ? 'There are no fields.' : `The fields are: ${fields.join(', ')}.`
  const unknown = Object.keys(input)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, 10)
    .map((name) => `${path}${name.slice(0, 100)} is not a field here. ${known}`)
  const missing = required.filter((name) => !Object.hasOwn(input, name)).map((name) => `${path}${name} is required.`)
  const wrong = Object.entries(properties).flatMap(([name, field]) =>
    Object.hasOwn(input, name) ? fieldErrors(field, input[name], path + name) : [],
  )
  return [...unknown, ...missing, ...wrong]
}

function fieldErrors(field: Schema, value: unknown, name: string): string[] {
  const must = (expected: string) => [`${name} must be ${expected} (got ${quoteValue(value)}).`]
  if (field.enum !== undefined) return field.enum.includes(value) ? [] : must(`one of ${field.enum.join(', ')}`)
  switch (field.type) {
    case 'object': {
      if (!isObject(value)) return must('an object')
      return field.additionalProperties === false ? argumentErrors(field, value, `${name}.`) : []
    }
    case 'array':
      return Array.isArray(value) ? [] : must('a list')
    case 'string':
    case 'boolean':
      return typeof value === field.type ? [] : must(`a ${field.type}`)
    case 'integer': {
      const { minimum = -Infinity, maximum = Infinity } = field
      if (!Number.isSafeInteger(value)) return must('an integer')
      return Number(value) < minimum || Number(value) > maximum ? must(`between ${minimum} and ${maximum}`) : []
    }
    case undefined:
    default:
      return []
  }
}

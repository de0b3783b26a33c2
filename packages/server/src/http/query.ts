import type { InvalidField } from '@mediamill/contract/domain/errors'
import { describeSchema, suggestOption } from '@mediamill/contract/endpoints/describe-schema'
import { hasOnlyFitTexts } from '@mediamill/contract/endpoints/field-errors'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import { quoteText } from '@mediamill/contract/lib/format-text'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'

export function textQuery(call: Pick<FastifyRequest, 'query'>, name: string): string | undefined {
  const value = (call.query as Record<string, string | string[] | undefined>)[name]
  return Array.isArray(value) ? value.at(-1) : value
}

/** Returns whether a query has a parameter of this name: a declared parameter, or an entry `name[key]` of a map. */
export function isDeclared(schema: z.ZodObject, sent: string): boolean {
  if (Object.hasOwn(schema.shape, sent)) return true
  return Object.entries(schema.shape).some(([name, field]) => isMap(field) && isEntryOf(name, sent))
}

const isEntryOf = (name: string, sent: string) => sent.startsWith(`${name}[`) && sent.endsWith(']')

/**
 * Returns a function that reads the query of a call. It ignores undeclared parameters (api.query.1), and throws
 * `validation_failed` if a value is invalid.
 */
export function queryReader<Query extends z.ZodObject>(schema: Query) {
  const decoders = Object.entries(schema.shape).map(([name, field]) => [name, decoderOf(field), isMap(field)] as const)
  return (call: Pick<FastifyRequest, 'query'>): z.output<Query> => {
    const sent = decoders.flatMap(([name, decode, hasKeys]) => {
      const map = hasKeys ? mapQuery(call, name) : undefined
      if (map !== undefined) return [[name, map] as const]
      const value = textQuery(call, name)
      return value === undefined ? [] : [[name, decode(value)] as const]
    })
    const parsed = schema.safeParse(Object.fromEntries(sent))
    if (parsed.success) {
      const unfit = Object.keys(parsed.data).filter((name) => !hasOnlyFitTexts(parsed.data[name]))
      if (unfit.length === 0) return parsed.data
      throw validationFailed(unfit.map(unfitParameter))
    }
    throw validationFailed(invalidParameters(schema, call, parsed.error.issues))
  }
}

const unfitParameter = (param: string): InvalidField => ({
  param,
  code: 'invalid_value',
  message: `${param} must not contain NUL or a lone surrogate.`,
})

const isMap = (field: z.core.$ZodType) => z.globalRegistry.get(innermost(field))?.['type'] === 'object'

/** Reads a map such as `name[key]=text` from a query. Returns `undefined` if there is no entry. */
function mapQuery(call: Pick<FastifyRequest, 'query'>, name: string): Record<string, string> | undefined {
  const entries = Object.keys(call.query as object).flatMap((sent) =>
    isEntryOf(name, sent) ? [[sent.slice(name.length + 1, -1), textQuery(call, sent) ?? ''] as const] : [],
  )
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function decoderOf(field: z.core.$ZodType): (text: string) => unknown {
  const { type } = innermost(field)._zod.def
  if (type === 'boolean') return (text) => (text === 'true' || text === 'false' ? text === 'true' : text)
  return type === 'number' ? integerOf : (text) => text
}

function innermost(field: z.core.$ZodType): z.core.$ZodType {
  const { def } = field._zod
  return 'innerType' in def ? innermost(def.innerType as z.core.$ZodType) : field
}

function integerOf(text: string): number | string {
  if (!/^-?\d+$/.test(text)) return text
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(text)))
}

function invalidParameters(
  schema: z.ZodObject,
  call: Pick<FastifyRequest, 'query'>,
  issues: readonly z.core.$ZodIssue[],
): InvalidField[] {
  const fields = issues.map((issue): InvalidField => {
    const [name, key] = issue.path.map(String)
    const param = key === undefined ? String(name) : `${name}[${key}]`
    const text = textQuery(call, param) ?? ''
    const field = schema.shape[String(name)] as z.ZodType
    const { code, message } =
      isMap(field) && key === undefined && text !== ''
        ? { code: 'invalid_type' as const, message: `must be written with its key, as ${name}[key]=value` }
        : invalidity(issue, field, text)
    return { param, code, message: `${param} ${message}${message.endsWith('?') ? '' : '.'}` }
  })
  return fields.filter(({ param }, index) => fields.findIndex((field) => field.param === param) === index)
}

function invalidity(issue: z.core.$ZodIssue, field: z.ZodType, text: string): Pick<InvalidField, 'code' | 'message'> {
  const { code, message } = issue
  const mustBe = `must be ${describeSchema(field)} (got ${/^-?\d{1,15}$/.test(text) ? text : quoteText(text)})`
  if (code === 'invalid_type') return { code, message: mustBe }
  if (code === 'too_small' || code === 'too_big') return { code: 'out_of_range', message: mustBe }
  if (code === 'invalid_value') return { code, message: mustBe + suggestOption(text, issue.values.map(String)) }
  const own = code === 'custom' ? (issue.params?.['code'] as InvalidField['code'] | undefined) : undefined
  return { code: own ?? 'invalid_value', message: own === undefined && message === 'Invalid input' ? mustBe : message }
}

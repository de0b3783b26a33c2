import type { FastifyRequest } from 'fastify'
import type { InvalidField } from '../domain/errors.ts'
import { validationFailed } from '../endpoints/validation.ts'

/** A query parameter as text; of one given twice, the last counts. */
export function textQuery(call: FastifyRequest, name: string): string | undefined {
  const value = (call.query as Record<string, string | string[] | undefined>)[name]
  return Array.isArray(value) ? value.at(-1) : value
}

/** What a query parameter says, or what is wrong with it. */
export type QueryValue<Value> = { value: Value } | { invalid: InvalidField }

/** A query parameter as an integer within inclusive bounds; one without bounds is brought within what is exact. */
export function integerQuery(
  call: FastifyRequest,
  name: string,
  bounds?: { minimum: number; maximum: number },
): QueryValue<number | undefined> {
  const text = textQuery(call, name)
  if (text === undefined) return { value: undefined }
  if (!/^-?\d+$/.test(text)) return invalidQuery(name, 'invalid_type', 'must be an integer')
  const value = Number(text)
  if (bounds === undefined) {
    return { value: Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value)) }
  }
  if (value >= bounds.minimum && value <= bounds.maximum) return { value }
  return invalidQuery(name, 'out_of_range', `must be between ${bounds.minimum} and ${bounds.maximum}`)
}

export function invalidQuery(param: string, code: InvalidField['code'], what: string): { invalid: InvalidField } {
  return { invalid: { param, code, message: `${param} ${what}.` } }
}

type Values<Read> = { [Name in keyof Read]: Read[Name] extends QueryValue<infer Value> ? Value : never }

/** The values of all parameters; throws `validation_failed` with every invalid one. */
export function validQuery<Read extends Record<string, QueryValue<unknown>>>(read: Read): Values<Read> {
  const errors = Object.values(read).flatMap((item) => ('invalid' in item ? [item.invalid] : []))
  if (errors.length > 0) throw validationFailed(errors)
  const values = Object.entries(read).map(([name, item]) => [name, 'value' in item ? item.value : undefined])
  return Object.fromEntries(values) as Values<Read>
}

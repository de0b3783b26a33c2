import type { FastifyRequest } from 'fastify'
import type { InvalidField } from '../domain/errors.ts'
import { validationFailed } from '../endpoints/validation.ts'

/** A query parameter as text; of one given twice, the last counts. */
export function textQuery(call: FastifyRequest, name: string): string | undefined {
  const value = (call.query as Record<string, string | string[] | undefined>)[name]
  return Array.isArray(value) ? value.at(-1) : value
}

/** A query parameter as an integer within inclusive bounds, or `undefined` when it was not given. */
export function integerQuery(
  call: FastifyRequest,
  name: string,
  bounds: { minimum: number; maximum: number },
): number | undefined {
  const text = textQuery(call, name)
  if (text === undefined) return undefined
  if (!/^-?\d+$/.test(text)) throw invalidQuery(name, 'invalid_type', 'must be an integer')
  const value = Number(text)
  if (value < bounds.minimum || value > bounds.maximum) {
    throw invalidQuery(name, 'out_of_range', `must be between ${bounds.minimum} and ${bounds.maximum}`)
  }
  return value
}

export function invalidQuery(param: string, code: InvalidField['code'], what: string) {
  return validationFailed([{ param, code, message: `${param} ${what}.` }])
}

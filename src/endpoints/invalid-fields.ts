import { z } from 'zod'
import type { InvalidField } from '../domain/errors.ts'
import { findOperation } from '../operations/index.ts'
import { operationSchema } from '../operations/schema.ts'
import type { Endpoint } from './endpoint.ts'

/** Whatever takes a body: an endpoint, or something with a medium that its operations would be of. */
type Taker = Pick<Endpoint, 'body' | 'media'>

type Issue = z.core.$ZodIssue

/**
 * The invalid fields of a body: those behind its schema's issues, and texts that cannot be kept. In the order of the
 * document; missing fields follow those sent.
 */
export function invalidFields(endpoint: Taker, body: object, issues: readonly Issue[]): InvalidField[] {
  const places = createPlaces()
  const found = issues.slice(0, MAX_LISTED).flatMap((issue) => toFields(endpoint, body, issue))
  if (!hasOnlyFitTexts(body)) found.push(...unfitTexts(body, []))
  return lastOfEachKind(found.slice(0, MAX_LISTED))
    .map((found) => ({ found, place: placeOf(body, found.path, places) }))
    .sort((a, b) => comparePlaces(a.place, b.place))
    .map(({ found: { path, code, message } }) => {
      const param = nameOf(path)
      return { param, code, message: `${param} ${message}.` }
    })
}

/** Invalid fields that are told of: a body of a megabyte can hold a hundred thousand, and nobody reads so many. */
const MAX_LISTED = 1000

/** A value can break two bounds of one kind: the largest safe integer, and then the field's own maximum. */
function lastOfEachKind(found: readonly Found[]): Found[] {
  return [...new Map(found.map((one) => [`${one.code} ${one.path.join('.')}`, one])).values()]
}

/** A path as it is shown: dotted, in characters that every client can read, and no longer than anyone reads. */
function nameOf(path: readonly PropertyKey[]): string {
  const name = path.join('.').toWellFormed().replaceAll('\u0000', '\uFFFD')
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`
}

const MAX_NAME_LENGTH = 500

type Found = { path: PropertyKey[]; code: InvalidField['code']; message: string }

function toFields(endpoint: Taker, body: object, issue: Issue): Found[] {
  const { path } = issue
  const found = (code: Found['code'], message: string): Found[] => [{ path, code, message }]
  if (valueAt(body, path) === undefined && issue.code !== 'unrecognized_keys' && !isDiscriminator(issue)) {
    return found('required', 'is required')
  }
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, MAX_LISTED).map((key) => ({
        path: [...path, key],
        code: 'unknown_parameter',
        message: 'is not a parameter here',
      }))
    case 'invalid_type':
      return found('invalid_type', `must be ${TYPE_WORDS[expectedAt(endpoint, body, issue)] ?? 'of another type'}`)
    case 'too_small':
      return tooSmall(issue, found)
    case 'too_big':
      return [...tooBig(issue, found), ...invalidElements(endpoint, body, issue)]
    case 'invalid_value':
      if (typeof valueAt(body, path) !== typeof issue.values[0]) return found('invalid_type', 'must be a string')
      return found('invalid_value', `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`)
    case 'invalid_union':
      return operationType(endpoint, body, path)
    case 'custom':
      return found((issue.params?.['code'] as InvalidField['code'] | undefined) ?? 'invalid_value', issue.message)
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
      return found('invalid_value', issue.message)
  }
}

const TYPE_WORDS: Record<string, string> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

/** The type that a field wants; its schema says of an integer that it wants a number. */
function expectedAt(endpoint: Taker, body: object, issue: Extract<Issue, { code: 'invalid_type' }>): string {
  if (issue.expected !== 'number') return issue.expected
  const [list, index] = issue.path
  const type = list === 'operations' ? valueAt(body, [list, index ?? 0, 'type']) : undefined
  const fields = typeof type === 'string' ? findOperation(type)?.params.shape : endpoint.body.shape
  const schema = fields?.[String(issue.path.at(-1))]
  return schema !== undefined && z.toJSONSchema(schema, { io: 'input' }).type === 'integer' ? 'int' : 'number'
}

const isDiscriminator = (issue: Issue) => issue.code === 'invalid_union'

type Report = (code: Found['code'], message: string) => Found[]

function tooSmall(issue: Extract<Issue, { code: 'too_small' }>, found: Report): Found[] {
  if (issue.origin === 'string') return found('too_short', `must have at least ${issue.minimum} characters`)
  if (issue.origin === 'array') return found('too_short', `must have at least ${issue.minimum} element`)
  return found('out_of_range', `must be at least ${issue.minimum}`)
}

function tooBig(issue: Extract<Issue, { code: 'too_big' }>, found: Report): Found[] {
  if (issue.origin === 'string') return found('too_long', `must have at most ${issue.maximum} characters`)
  if (issue.origin === 'array') return found('too_long', `must have at most ${issue.maximum} elements`)
  return found('out_of_range', `must be at most ${issue.maximum}`)
}

/** A list that is too long is not looked into by its schema; what is wrong inside is told all the same. */
function invalidElements(endpoint: Taker, body: object, issue: Issue): Found[] {
  const elements = valueAt(body, issue.path)
  if (issue.path.join('.') !== 'operations' || !Array.isArray(elements)) return []
  const schema = operationSchema(endpoint.media)
  return elements.slice(0, MAX_LISTED / 10).flatMap((element, index) => {
    const { error } = schema.safeParse(element)
    return (error?.issues ?? []).flatMap((inner) =>
      toFields(endpoint, body, { ...inner, path: ['operations', index, ...inner.path] }),
    )
  })
}

/** An operation's `type` that names none of the endpoint's: missing, unknown, or not for this kind of file. */
function operationType(endpoint: Taker, body: object, path: PropertyKey[]): Found[] {
  const at = path.at(-1) === 'type' ? path : [...path, 'type']
  const type = valueAt(body, at)
  if (type === undefined) return [{ path: at, code: 'required', message: 'is required' }]
  if (typeof type !== 'string') return [{ path: at, code: 'invalid_type', message: 'must be a string' }]
  if (findOperation(type) === undefined) {
    return [{ path: at, code: 'unknown_operation', message: 'is not an operation; GET /v1/operations lists them' }]
  }
  return [{ path: at, code: 'not_supported_for_media', message: `is not an operation on ${endpoint.media}s` }]
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/** The positions of an object's keys, counted once: a body may have a hundred thousand. */
type Places = (value: object) => Map<string, number>

function createPlaces(): Places {
  const counted = new Map<object, Map<string, number>>()
  return (value) => {
    const known = counted.get(value)
    if (known !== undefined) return known
    const places = new Map(Object.keys(value).map((key, place) => [key, place]))
    counted.set(value, places)
    return places
  }
}

/** Where a path stands in the document: the position of each of its keys, a missing one after all others. */
function placeOf(body: unknown, path: readonly PropertyKey[], places: Places): number[] {
  let value = body
  return path.map((key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      value = undefined
      return Number.POSITIVE_INFINITY
    }
    const place = Array.isArray(value) ? Number(key) : (places(value).get(String(key)) ?? 0)
    value = (value as Record<PropertyKey, unknown>)[key]
    return place
  })
}

function comparePlaces(a: number[], b: number[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [left = 0, right = 0] = [a[index], b[index]]
    if (left !== right) return left < right ? -1 : 1
  }
  return a.length - b.length
}

/**
 * Texts that cannot be kept or echoed as they are, keys included: with a NUL (PostgreSQL has no such text) or a lone
 * surrogate (UTF-8 has no such character).
 */
function unfitTexts(body: unknown, path: PropertyKey[]): Found[] {
  if (typeof body === 'string') return isFit(body) ? [] : [unfit(path)]
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([key, value]) =>
    isFit(key) ? unfitTexts(value, [...path, key]) : [unfit([...path, key])],
  )
}

/** Whether every text of a body, keys included, can be kept. */
export function hasOnlyFitTexts(body: unknown): boolean {
  if (typeof body === 'string') return isFit(body)
  if (typeof body !== 'object' || body === null) return true
  if (Array.isArray(body)) return body.every(hasOnlyFitTexts)
  return Object.entries(body).every(([key, value]) => isFit(key) && hasOnlyFitTexts(value))
}

const isFit = (text: string) => !text.includes('\u0000') && text.isWellFormed()

const unfit = (path: PropertyKey[]): Found => ({
  path,
  code: 'invalid_value',
  message: 'must not contain NUL or half a surrogate pair',
})

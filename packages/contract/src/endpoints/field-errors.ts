import type { z } from 'zod'
import type { InvalidField } from '../domain/errors.ts'
import { MAX_OPERATIONS } from '../domain/limits.ts'
import { quoteValue } from '../lib/format-text.ts'
import { operationSchema } from '../operations/schema.ts'
import type { BodyOwner } from './body-fields.ts'
import { fieldAt, isOptional, operationsAt, valueAt } from './body-fields.ts'
import type { FieldError } from './body-hints.ts'
import { exampleOperation, operationType, unknownParameter } from './body-hints.ts'
import { ANY_TEXT, describeSchema, suggestOption } from './describe-schema.ts'

type Issue = z.core.$ZodIssue

/** The maximum number of invalid fields in a response. A 1 MB body can have 100,000. */
const MAX_LISTED = 1000

/** Returns the errors in body order, missing fields of an object last. Also finds texts that cannot be stored. */
export function invalidFields(owner: BodyOwner, body: object, issues: readonly Issue[]): InvalidField[] {
  const found: FieldError[] = []
  for (const issue of issues) {
    // One issue can name thousands of fields.
    if (found.length >= MAX_LISTED) break
    found.push(...errorsOf(owner, body, issue))
  }
  if (!hasOnlyFitTexts(body)) found.push(...unfitTexts(body, []))
  return inBodyOrder(body, lastOfEachKind(found.slice(0, MAX_LISTED)), ({ path }) => path).map(
    ({ path, code, message }) => {
      const param = nameOf(path)
      return { param, code, message: `${formatPath(path)} ${message}${message.endsWith('?') ? '' : '.'}` }
    },
  )
}

/** Sorts fields by their position in the body. Fields that an object of the body does not have come last. */
export function inBodyOrder<Field>(
  body: unknown,
  fields: readonly Field[],
  pathOf: (field: Field) => readonly PropertyKey[],
): Field[] {
  const indexes = createIndexes()
  return fields
    .map((field) => ({ field, position: positionOf(body, pathOf(field), indexes) }))
    .sort((a, b) => comparePositions(a.position, b.position))
    .map(({ field }) => field)
}

function errorsOf(owner: BodyOwner, body: object, issue: Issue): FieldError[] {
  const { path } = issue
  const value = valueAt(body, path)
  const operations = operationsAt(owner, path)
  const error = (code: FieldError['code'], message: string): FieldError[] => [{ path, code, message }]
  if (issue.code === 'invalid_union' && operations !== undefined) return [operationType(operations, body, path)]
  if (issue.code === 'unrecognized_keys') {
    const isOnly = issue.keys.length === 1
    return issue.keys.slice(0, MAX_LISTED).map((key) => ({
      path: [...path, key],
      code: 'unknown_parameter',
      message: unknownParameter(owner, body, path, key, isOnly),
    }))
  }
  const field = fieldAt(owner, body, path)
  const valid = validAt(owner, path, value, field)
  if (value === undefined) return error('required', `is required: ${valid}${requiredHint(owner, body, path)}`)
  const leaveOut = value === null && field !== undefined && isOptional(field) ? '; leave it out' : ''
  const mustBe = `must be ${valid} (got ${quoteValue(value)})${leaveOut}`
  switch (issue.code) {
    case 'invalid_type':
      return error('invalid_type', mustBe)
    case 'invalid_format':
      // A schema with a pattern that `describeSchema` does not support has its own message.
      return error('invalid_value', valid === ANY_TEXT ? `${issue.message} (got ${quoteValue(value)})` : mustBe)
    case 'invalid_value':
      return typeof value === 'string'
        ? error('invalid_value', `${mustBe}${suggestOption(value, issue.values.map(String))}`)
        : error('invalid_type', mustBe)
    case 'too_small':
    case 'too_big': {
      if (!Array.isArray(value)) return error('out_of_range', mustBe)
      const code = issue.code === 'too_big' ? 'too_long' : 'too_short'
      const message = `must have ${operations?.minimum ?? 1} to ${MAX_OPERATIONS} elements (got ${value.length})`
      return [...error(code, message), ...elementErrors(owner, body, issue)]
    }
    case 'custom': {
      const code = (issue.params?.['code'] as FieldError['code'] | undefined) ?? 'invalid_value'
      return error(code, code === 'invalid_type' ? mustBe : issue.message)
    }
    case 'invalid_union':
      return error('invalid_value', mustBe)
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
      return error('invalid_value', issue.message)
  }
}

function validAt(owner: BodyOwner, path: PropertyKey[], value: unknown, field: z.ZodType | undefined): string {
  const operations = operationsAt(owner, path)
  if (operations === undefined) return field === undefined ? ANY_TEXT : describeSchema(field)
  if (path.length === operations.depth) {
    return `an array of ${operations.minimum} to ${MAX_OPERATIONS} operations, such as [${exampleOperation(operations)}]`
  }
  if (path.length === operations.depth + 1) return `an object such as ${exampleOperation(operations, value)}`
  return field === undefined ? 'of another type' : describeSchema(field)
}

function requiredHint(owner: BodyOwner, body: object, path: PropertyKey[]): string {
  const { media, depth } = operationsAt(owner, path) ?? {}
  if (path.length === depth && media !== undefined && media !== 'document') {
    return '; to convert only, send [{"type": "flip"}]'
  }
  const isHeight = path.at(-1) === 'height' && valueAt(body, [...path.slice(0, -1), 'type']) === 'resize'
  return isHeight && media === 'image' ? '; the operation thumbnail needs only a width' : ''
}

function elementErrors(owner: BodyOwner, body: object, issue: Issue): FieldError[] {
  const sent = valueAt(body, issue.path)
  const operations = operationsAt(owner, issue.path)
  if (issue.path.length !== operations?.depth || !Array.isArray(sent)) return []
  const schema = operationSchema(operations.media)
  return sent.slice(0, MAX_LISTED / 10).flatMap((element, index) => {
    const { error } = schema.safeParse(element)
    return (error?.issues ?? []).flatMap((inner) =>
      errorsOf(owner, body, { ...inner, path: [...issue.path, index, ...inner.path] }),
    )
  })
}

/** Keeps the last error of each code and path, because zod can report two errors for one large number. */
function lastOfEachKind(found: readonly FieldError[]): FieldError[] {
  return [...new Map(found.map((one) => [`${one.code} ${one.path.join('.')}`, one])).values()]
}

function formatPath(path: readonly PropertyKey[]): string {
  const [first = '', ...others] = path
  return shortened(
    [String(first), ...others.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))].join(''),
  )
}

function nameOf(path: readonly PropertyKey[]): string {
  return shortened(path.join('.'))
}

function shortened(text: string): string {
  const name = text.toWellFormed().replaceAll('\u0000', '\uFFFD')
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`
}

const MAX_NAME_LENGTH = 500

/** Returns the position of each key in an object. The results are cached, because an object can have 100,000 keys. */
type IndexesOf = (value: object) => Map<string, number>

function createIndexes(): IndexesOf {
  const counted = new Map<object, Map<string, number>>()
  return (value) => {
    const known = counted.get(value)
    if (known !== undefined) return known
    const indexes = new Map(Object.keys(value).map((key, position) => [key, position]))
    counted.set(value, indexes)
    return indexes
  }
}

function positionOf(body: unknown, path: readonly PropertyKey[], indexes: IndexesOf): number[] {
  let value = body
  return path.map((key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      value = undefined
      return Number.POSITIVE_INFINITY
    }
    const position = Array.isArray(value) ? Number(key) : (indexes(value).get(String(key)) ?? 0)
    value = (value as Record<PropertyKey, unknown>)[key]
    return position
  })
}

function comparePositions(a: number[], b: number[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [left = 0, right = 0] = [a[index], b[index]]
    if (left !== right) return left < right ? -1 : 1
  }
  return a.length - b.length
}

/** Finds texts that cannot be stored or returned: with NUL, which PostgreSQL rejects, or with unpaired surrogates. */
function unfitTexts(body: unknown, path: PropertyKey[]): FieldError[] {
  if (typeof body === 'string') return isFit(body) ? [] : [unfit(path)]
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([key, value]) =>
    isFit(key) ? unfitTexts(value, [...path, Array.isArray(body) ? Number(key) : key]) : [unfit([...path, key])],
  )
}

export function hasOnlyFitTexts(body: unknown): boolean {
  if (typeof body === 'string') return isFit(body)
  if (typeof body !== 'object' || body === null) return true
  if (Array.isArray(body)) return body.every(hasOnlyFitTexts)
  return Object.entries(body).every(([key, value]) => isFit(key) && hasOnlyFitTexts(value))
}

const isFit = (text: string) => !text.includes('\u0000') && text.isWellFormed()

const unfit = (path: PropertyKey[]): FieldError => ({
  path,
  code: 'invalid_value',
  message: 'must not contain NUL or a lone surrogate',
})

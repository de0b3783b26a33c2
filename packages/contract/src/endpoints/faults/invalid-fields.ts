import type { z } from 'zod'
import type { InvalidField } from '../../domain/errors.ts'
import type { Fault } from './fault.ts'
import { MAX_LISTED } from './fault.ts'
import { faultsOf } from './faults.ts'
import type { Taker } from './taker.ts'

type Issue = z.core.$ZodIssue

/**
 * Returns the invalid fields of a body. They are those behind its schema's issues, and texts that cannot be kept. In
 * the order of the document; missing fields follow those sent.
 */
export function invalidFields(endpoint: Taker, body: object, issues: readonly Issue[]): InvalidField[] {
  const places = createPlaces()
  const found = issues.slice(0, MAX_LISTED).flatMap((issue) => faultsOf(endpoint, body, issue))
  if (!hasOnlyFitTexts(body)) found.push(...unfitTexts(body, []))
  return lastOfEachKind(found.slice(0, MAX_LISTED))
    .map((found) => ({ found, place: placeOf(body, found.path, places) }))
    .sort((a, b) => comparePlaces(a.place, b.place))
    .map(({ found: { path, code, message } }) => {
      const param = nameOf(path)
      return { param, code, message: `${shownPath(path)} ${message}${message.endsWith('?') ? '' : '.'}` }
    })
}

/** A value can break two bounds of one kind: the largest safe integer, and then the field's own maximum. */
function lastOfEachKind(found: readonly Fault[]): Fault[] {
  return [...new Map(found.map((one) => [`${one.code} ${one.path.join('.')}`, one])).values()]
}

/** A path as messages show it: indexes in brackets, as programs write them. */
function shownPath(path: readonly PropertyKey[]): string {
  const [first = '', ...others] = path
  return shortened(
    [String(first), ...others.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))].join(''),
  )
}

/** A path as `param` has it: dotted, in characters that every client can read, and no longer than anyone reads. */
function nameOf(path: readonly PropertyKey[]): string {
  return shortened(path.join('.'))
}

function shortened(text: string): string {
  const name = text.toWellFormed().replaceAll('\u0000', '\uFFFD')
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`
}

const MAX_NAME_LENGTH = 500

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
function unfitTexts(body: unknown, path: PropertyKey[]): Fault[] {
  if (typeof body === 'string') return isFit(body) ? [] : [unfit(path)]
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([key, value]) =>
    isFit(key) ? unfitTexts(value, [...path, Array.isArray(body) ? Number(key) : key]) : [unfit([...path, key])],
  )
}

/** Tells whether every text of a body, keys included, can be kept. */
export function hasOnlyFitTexts(body: unknown): boolean {
  if (typeof body === 'string') return isFit(body)
  if (typeof body !== 'object' || body === null) return true
  if (Array.isArray(body)) return body.every(hasOnlyFitTexts)
  return Object.entries(body).every(([key, value]) => isFit(key) && hasOnlyFitTexts(value))
}

const isFit = (text: string) => !text.includes('\u0000') && text.isWellFormed()

const unfit = (path: PropertyKey[]): Fault => ({
  path,
  code: 'invalid_value',
  message: 'must not contain NUL or half a surrogate pair',
})

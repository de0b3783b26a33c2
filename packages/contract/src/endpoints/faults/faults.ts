import type { z } from 'zod'
import { MAX_OPERATIONS } from '../../domain/limits.ts'
import { shown } from '../../lib/words.ts'
import { operationSchema } from '../../operations/schema.ts'
import type { Fault } from './fault.ts'
import { MAX_LISTED } from './fault.ts'
import { fieldAt, isInOperations, isOptional, valueAt } from './fields-at.ts'
import { exampleOf, operationType } from './operation-faults.ts'
import type { Taker } from './taker.ts'
import { unknownParameter } from './unknown-parameter.ts'
import { suggestion, wanted } from './wanted.ts'

type Issue = z.core.$ZodIssue

/** Returns the faults behind an issue of the body's schema. Each has what came, and what would be taken. */
export function faultsOf(endpoint: Taker, body: object, issue: Issue): Fault[] {
  const { path } = issue
  const value = valueAt(body, path)
  const fault = (code: Fault['code'], message: string): Fault[] => [{ path, code, message }]
  if (issue.code === 'invalid_union') return [operationType(endpoint, body, path)]
  if (issue.code === 'unrecognized_keys') {
    const alone = issue.keys.length === 1
    return issue.keys.slice(0, MAX_LISTED).map((key) => ({
      path: [...path, key],
      code: 'unknown_parameter',
      message: unknownParameter(endpoint, body, path, key, alone),
    }))
  }
  const field = fieldAt(endpoint, body, path)
  const taken = takenAt(endpoint, path, value, field)
  if (value === undefined)
    return fault(
      'required',
      `is required: ${taken}${convertingHint(endpoint, path)}${oneSideHint(endpoint, body, path)}`,
    )
  const leaveOut = value === null && field !== undefined && isOptional(field) ? '; leave it out' : ''
  const mustBe = `must be ${taken} (got ${shown(value)})${leaveOut}`
  switch (issue.code) {
    case 'invalid_type':
      return fault('invalid_type', mustBe)
    case 'invalid_format':
      return fault('invalid_value', mustBe)
    case 'invalid_value':
      return typeof value === 'string'
        ? fault('invalid_value', `${mustBe}${suggestion(value, issue.values.map(String))}`)
        : fault('invalid_type', mustBe)
    case 'too_small':
    case 'too_big':
      return Array.isArray(value)
        ? [
            ...fault(issue.code === 'too_big' ? 'too_long' : 'too_short', count(value)),
            ...elements(endpoint, body, issue),
          ]
        : fault('out_of_range', mustBe)
    case 'custom': {
      const code = (issue.params?.['code'] as Fault['code'] | undefined) ?? 'invalid_value'
      return fault(code, code === 'invalid_type' ? mustBe : issue.message)
    }
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
      return fault('invalid_value', issue.message)
  }
}

/** What would be taken at a path, as words that follow "must be". */
function takenAt(endpoint: Taker, path: PropertyKey[], value: unknown, field: z.ZodType | undefined): string {
  if (!isInOperations(endpoint, path)) return field === undefined ? 'a string' : wanted(field)
  if (path.length === 1) return `an array of 1 to ${MAX_OPERATIONS} operations, such as [${exampleOf(endpoint)}]`
  if (path.length === 2) return `an object such as ${exampleOf(endpoint, value)}`
  return field === undefined ? 'of another type' : wanted(field)
}

/** For those who only want another format: an operation that leaves every picture as it is. */
function convertingHint(endpoint: Taker, path: PropertyKey[]): string {
  if (path.length !== 1 || !isInOperations(endpoint, path) || endpoint.media === 'document') return ''
  return '; to convert only, send [{"type": "flip"}]'
}

/** A resize needs both sides; a thumbnail needs its width alone. */
function oneSideHint(endpoint: Taker, body: object, path: PropertyKey[]): string {
  if (path.at(-1) !== 'height' || !isInOperations(endpoint, path)) return ''
  if (valueAt(body, [...path.slice(0, -1), 'type']) !== 'resize' || endpoint.media !== 'image') return ''
  return '; the operation thumbnail takes a width alone'
}

const count = (value: unknown[]) => `must have 1 to ${MAX_OPERATIONS} elements (got ${value.length})`

/** A list that is too long is not looked into by its schema; what is wrong inside is told all the same. */
function elements(endpoint: Taker, body: object, issue: Issue): Fault[] {
  const sent = valueAt(body, issue.path)
  if (issue.path.length !== 1 || !isInOperations(endpoint, issue.path) || !Array.isArray(sent)) return []
  const schema = operationSchema(endpoint.media)
  return sent.slice(0, MAX_LISTED / 10).flatMap((element, index) => {
    const { error } = schema.safeParse(element)
    return (error?.issues ?? []).flatMap((inner) =>
      faultsOf(endpoint, body, { ...inner, path: [...issue.path, index, ...inner.path] }),
    )
  })
}

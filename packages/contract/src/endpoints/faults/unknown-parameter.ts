import { nearest } from '../../lib/nearest.ts'
import { listed } from '../../lib/words.ts'
import { OPERATIONS } from '../../operations/index.ts'
import { supports } from '../../operations/operation.ts'
import type { Fields } from './fields-at.ts'
import { fieldsAt, isInOperations, isOptional, operationsKey, valueAt } from './fields-at.ts'
import type { Taker } from './taker.ts'

/**
 * Words the message about a key that the object at `path` does not take. It says what was probably meant, or where the
 * key belongs, and which ones it does take. `alone` tells that no other key of the object is unknown.
 */
export function unknownParameter(
  endpoint: Taker,
  body: unknown,
  path: readonly PropertyKey[],
  key: string,
  alone: boolean,
): string {
  const fields = fieldsAt(endpoint, body, path) ?? {}
  const names = Object.keys(fields)
  const owner = ownerOf(endpoint, body, path)
  const takes = names.length === 0 ? `${owner} takes no parameters` : `${owner} takes ${listed(names)}`
  const meant = nearest(key, names)
  const elsewhere = meant === undefined ? placeOf(endpoint, path, key) : undefined
  const suggested = meant ?? (elsewhere === undefined ? guess(key, fields, valueAt(body, path), alone) : undefined)
  const heading = `is not a parameter of ${owner}`
  const hint = HINTS[owner]?.[key]
  if (hint !== undefined) return `${heading}; ${hint}`
  if (elsewhere !== undefined) return `${heading}; ${elsewhere}`
  return suggested === undefined ? `${heading}; ${takes}` : `${heading}; did you mean ${suggested}? ${takes}`
}

/** Parameters that other services have, by the operation, and what to send here. */
const HINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  watermark: {
    text: 'send the text to POST /v1/stamps, and use the source it returns as image_url',
    position: 'x and y place the watermark, in pixels from the top-left corner of the picture',
  },
  resize: {
    fit: 'crop_center: true fills the box, and without it the picture fits inside the box',
  },
}

/** Whose parameters stand at the path: the endpoint's, an operation's, or those of a field such as `output`. */
function ownerOf(endpoint: Taker, body: unknown, path: readonly PropertyKey[]): string {
  if (path.length === 0) return endpoint.name
  return isInOperations(endpoint, path) ? String(valueAt(body, [...path, 'type'])) : String(path.at(-1))
}

/** Where else in the body a key of this very name belongs. */
function placeOf(endpoint: Taker, path: readonly PropertyKey[], key: string): string | undefined {
  const output = fieldsAt(endpoint, {}, ['output']) ?? {}
  if (path[0] !== 'output' && Object.hasOwn(output, key)) return `it belongs in output, as {"output": {"${key}": …}}`
  if (path.length > 0 && Object.hasOwn(fieldsAt(endpoint, {}, []) ?? {}, key))
    return 'it belongs at the top of the body'
  const list = operationsKey(endpoint)
  if (list === undefined) return undefined
  const operations = OPERATIONS.filter((operation) => supports(operation, endpoint.media))
  if (operations.some(({ name }) => name === key)) return `it is an operation: {"${list}": [{"type": "${key}", …}]}`
  const owners = operations.filter(({ params }) => Object.hasOwn(params.shape, key)).map(({ name }) => name)
  if (owners.length === 0) return undefined
  return `it belongs to the operation${owners.length > 1 ? 's' : ''} ${listed(owners)}`
}

/** What a key that is like none may stand for: the one thing that is missing, or the one whose name it is a part of. */
function guess(key: string, fields: Fields, sent: unknown, alone: boolean): string | undefined {
  const open = Object.entries(fields).filter(([name]) => valueAt(sent, [name]) === undefined)
  const missing = open.filter(([, field]) => !isOptional(field))
  const parts = open.filter(([name]) => name.startsWith(key) || name.endsWith(`_${key}`))
  const [only, ...others] = alone && missing.length === 1 ? missing : key === '' ? [] : parts
  return others.length === 0 ? only?.[0] : undefined
}

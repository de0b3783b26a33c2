import { MEDIA_TYPES, MEDIA_WORDS } from '../../domain/media.ts'
import { nearest } from '../../lib/nearest.ts'
import { listed, quoted, shown } from '../../lib/words.ts'
import { findOperation, OPERATIONS } from '../../operations/index.ts'
import { supports } from '../../operations/operation.ts'
import type { Fault } from './fault.ts'
import { isOptional, operationsKey, valueAt } from './fields-at.ts'
import type { Taker } from './taker.ts'

/**
 * Describes an operation's `type` that names none of the endpoint's. It is missing, unknown, or not for this kind of
 * file.
 */
export function operationType(endpoint: Taker, body: object, path: PropertyKey[]): Fault {
  const at = path.at(-1) === 'type' ? path : [...path, 'type']
  const type = valueAt(body, at)
  const taken = namesOn(endpoint)
  if (type === undefined)
    return { path: at, code: 'required', message: missing(endpoint, valueAt(body, at.slice(0, -1))) }
  if (typeof type !== 'string') {
    return { path: at, code: 'invalid_type', message: `must be the name of an operation (got ${shown(type)})` }
  }
  const known = findOperation(type)
  if (known === undefined) {
    const meant = nearest(type, taken)
    const way = meant === undefined ? `${MEDIA_WORDS[endpoint.media]} take ${listed(taken)}` : `did you mean ${meant}?`
    return { path: at, code: 'unknown_operation', message: `is ${quoted(type)}, which is not an operation; ${way}` }
  }
  const media = MEDIA_TYPES.filter((medium) => supports(known, medium)).map((medium) => MEDIA_WORDS[medium])
  const own = MEDIA_WORDS[endpoint.media]
  const message = `is "${type}", which works on ${listed(media)}, not on ${own}; ${own} take ${listed(taken)}`
  return { path: at, code: 'not_supported_for_media', message }
}

const namesOn = ({ media }: Taker) =>
  OPERATIONS.filter((operation) => supports(operation, media)).map(({ name }) => name)

/** What to say where no `type` is: the name of an operation may stand elsewhere in the element. */
function missing(endpoint: Taker, element: unknown): string {
  const taken = namesOn(endpoint)
  const entries = typeof element === 'object' && element !== null ? Object.entries(element).slice(0, MOST_KEYS) : []
  for (const [key, value] of entries) {
    const named = taken.find((name) => name === key) ?? taken.find((name) => name === value)
    if (named !== undefined) return `is required: write ${exampleOf(endpoint, named)}`
  }
  return `is required: the name of an operation, as in ${exampleOf(endpoint)}`
}

/** Of an element that is looked into. */
const MOST_KEYS = 20

/** Writes an element of `operations` as an example. It is of the operation that `sent` names, where it does. */
export function exampleOf(endpoint: Taker, sent?: unknown): string {
  const [first] = endpoint.example.body[operationsKey(endpoint) ?? ''] as [{ type: string }]
  const name = namesOn(endpoint).find((one) => one === sent) ?? first.type
  const fields = Object.values(findOperation(name)?.params.shape ?? {})
  const needsMore = fields.some((field) => !isOptional(field))
  return needsMore ? `{"type": "${name}", …}` : `{"type": "${name}"}`
}

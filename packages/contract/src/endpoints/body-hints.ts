import type { InvalidField } from '../domain/errors.ts'
import { MEDIA_TYPES, MEDIA_WORDS } from '../domain/media.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { joinList, quoteText, quoteValue } from '../lib/format-text.ts'
import { findOperation, OPERATIONS } from '../operations/index.ts'
import { supports } from '../operations/operation.ts'
import type { BodyOwner, Fields, OperationList } from './body-fields.ts'
import { fieldsAt, isOptional, operationsAt, operationsKey, valueAt } from './body-fields.ts'
import { hasTemplates, templateFields } from './template-fields.ts'

/** An error at a path of a body. `message` follows the name of the field, and has no full stop. */
export type FieldError = { path: PropertyKey[]; code: InvalidField['code']; message: string }

/** Returns the error message for an unknown key. `isOnly` is true if the object has no other unknown key. */
export function unknownParameter(
  owner: BodyOwner,
  body: unknown,
  path: readonly PropertyKey[],
  key: string,
  isOnly: boolean,
): string {
  const fields = fieldsAt(owner, body, path) ?? {}
  const runsTemplates = path.length === 0 && owner.endpoint !== undefined && hasTemplates(owner.endpoint)
  const names = [...Object.keys(fields), ...(runsTemplates ? Object.keys(templateFields) : [])]
  const object = nameAt(owner, body, path)
  const heading = `is not a parameter of ${object}`
  const hint = ownValue(ownValue(HINTS, object), key)
  if (hint !== undefined) return `${heading}; ${hint}`
  const similar = didYouMean(key, names)
  const elsewhere = similar === undefined ? ownerHint(owner, path, key) : undefined
  if (elsewhere !== undefined) return `${heading}; ${elsewhere}`
  const meant = similar ?? guess(key, fields, valueAt(body, path), isOnly)
  const takes = names.length === 0 ? `${object} has no parameters` : `${object} accepts ${joinList(names)}`
  return meant === undefined ? `${heading}; ${takes}` : `${heading}; did you mean ${meant}? ${takes}`
}

/** Returns the value of an own property. A client can send the name of an inherited property, such as `constructor`. */
const ownValue = <Value>(entries: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined =>
  entries !== undefined && Object.hasOwn(entries, key) ? entries[key] : undefined

/** Hints for parameters of similar services, by operation and parameter. Each hint names the equivalent in this API. */
const HINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  watermark: {
    text: 'send the text to POST /v1/stamps, and use the source it returns as image_url',
    position: 'gravity anchors the watermark at an edge or the center, and x and y are its margins',
  },
  resize: {
    fit: 'crop_center: true fills the box; without crop_center, the image fits inside the box',
  },
}

function nameAt(owner: BodyOwner, body: unknown, path: readonly PropertyKey[]): string {
  if (path.length === 0) return owner.name
  if (operationsAt(owner, path) !== undefined) return String(valueAt(body, [...path, 'type']))
  return typeof path.at(-1) === 'number' ? `${String(path.at(-2))}[${String(path.at(-1))}]` : String(path.at(-1))
}

function ownerHint(owner: BodyOwner, path: readonly PropertyKey[], key: string): string | undefined {
  const output = fieldsAt(owner, {}, ['output']) ?? {}
  if (path[0] !== 'output' && Object.hasOwn(output, key)) return `it belongs in output, as {"output": {"${key}": …}}`
  if (path.length > 0 && Object.hasOwn(fieldsAt(owner, {}, []) ?? {}, key)) return 'it belongs at the top of the body'
  const { endpoint } = owner
  const list = endpoint && operationsKey(endpoint)
  if (endpoint === undefined || list === undefined) return undefined
  const operations = OPERATIONS.filter((operation) => supports(operation, endpoint.media))
  if (operations.some(({ name }) => name === key)) return `it is an operation: {"${list}": [{"type": "${key}", …}]}`
  const owners = operations.filter(({ params }) => Object.hasOwn(params.shape, key)).map(({ name }) => name)
  if (owners.length === 0) return undefined
  return `it belongs to the operation${owners.length > 1 ? 's' : ''} ${joinList(owners)}`
}

/** Guesses which field an unknown key means: the only missing required field, or the only field with a similar name. */
function guess(key: string, fields: Fields, sent: unknown, isOnly: boolean): string | undefined {
  const open = Object.entries(fields).filter(([name]) => valueAt(sent, [name]) === undefined)
  const missing = open.filter(([, field]) => !isOptional(field))
  const parts = open.filter(([name]) => name.startsWith(key) || name.endsWith(`_${key}`))
  const [only, ...others] = isOnly && missing.length === 1 ? missing : key === '' ? [] : parts
  return others.length === 0 ? only?.[0] : undefined
}

export function operationType(list: OperationList, body: object, path: PropertyKey[]): FieldError {
  const at = path.at(-1) === 'type' ? path : [...path, 'type']
  const type = valueAt(body, at)
  const names = namesOn(list)
  if (type === undefined) {
    return { path: at, code: 'required', message: missingType(list, valueAt(body, at.slice(0, -1))) }
  }
  if (typeof type !== 'string') {
    return { path: at, code: 'invalid_type', message: `must be the name of an operation (got ${quoteValue(type)})` }
  }
  const media = MEDIA_WORDS[list.media]
  const known = findOperation(type)
  if (known === undefined) {
    const meant = didYouMean(type, names)
    const fix = meant === undefined ? `${media} support ${joinList(names)}` : `did you mean ${meant}?`
    return { path: at, code: 'unknown_operation', message: `is ${quoteText(type)}, which is not an operation; ${fix}` }
  }
  const others = MEDIA_TYPES.filter((medium) => supports(known, medium)).map((medium) => MEDIA_WORDS[medium])
  const message = `is "${type}", which works on ${joinList(others)}, not on ${media}; ${media} support ${joinList(names)}`
  return { path: at, code: 'not_supported_for_media', message }
}

const namesOn = ({ media }: OperationList) =>
  OPERATIONS.filter((operation) => supports(operation, media)).map(({ name }) => name)

function missingType(list: OperationList, element: unknown): string {
  const names = namesOn(list)
  const entries = typeof element === 'object' && element !== null ? Object.entries(element).slice(0, MAX_KEYS) : []
  for (const [key, value] of entries) {
    const named = names.find((name) => name === key) ?? names.find((name) => name === value)
    if (named !== undefined) return `is required: write ${exampleOperation(list, named)}`
  }
  return `is required: the name of an operation, as in ${exampleOperation(list)}`
}

const MAX_KEYS = 20

export function exampleOperation(list: OperationList, sent?: unknown): string {
  const name = namesOn(list).find((one) => one === sent) ?? list.example
  const fields = Object.values(findOperation(name)?.params.shape ?? {})
  const needsMore = fields.some((field) => !isOptional(field))
  return needsMore ? `{"type": "${name}", …}` : `{"type": "${name}"}`
}

import { z } from 'zod'
import type { InvalidField } from '../domain/errors.ts'
import { ApiError } from '../domain/errors.ts'
import { MAX_FURTHER_SOURCES } from '../domain/limits.ts'
import { schemaName } from '../lib/schema-name.ts'
import type { BodyOwner } from './body-fields.ts'
import { commonFields } from './common-fields.ts'
import type { SentDestination } from './destination.ts'
import { takeDestinations, withoutSecrets } from './destination.ts'
import type { Endpoint } from './endpoint.ts'
import { hasOnlyFitTexts, invalidFields } from './field-errors.ts'
import { OUTPUTS, outputsIssues } from './outputs.ts'
import { hasTemplates, templateBody } from './template-fields.ts'

export type ValidBody = {
  source: string
  webhookUrl: string | null
  customer: string | null
  metadata: Record<string, string> | null
  /** The destinations of the result files. Their URLs still contain the signatures. */
  destinations: SentDestination[]
  /** The fields that responses show: no common fields, and no secrets of destinations. */
  input: Record<string, unknown>
  parameters: Record<string, unknown>
}

const schemas = new Map<string, ReturnType<typeof withCommonFields>>()

export function bodySchema(endpoint: Endpoint) {
  const schema = schemas.get(endpoint.name) ?? withCommonFields(endpoint)
  schemas.set(endpoint.name, schema)
  return schema
}

const withCommonFields = (endpoint: Endpoint) =>
  z
    .strictObject({ ...commonFields, ...endpoint.body.shape })
    .meta({ id: `${schemaName(endpoint.name)}Body`, description: `Body of ${endpoint.name}.` })

export function sentSchema(endpoint: Endpoint): z.ZodType {
  return hasTemplates(endpoint) ? z.union([bodySchema(endpoint), templateBody]) : bodySchema(endpoint)
}

export function validateBody(endpoint: Endpoint, body: unknown): ValidBody {
  const owner = { name: endpoint.name, schema: bodySchema(endpoint), endpoint }
  const { source, webhook_url, customer, metadata, ...fields } = parseBody(owner, body)
  checkSourceCount(endpoint, fields)
  const sent = Object.entries(body as object)
  const input = Object.fromEntries(sent.filter(([name]) => !Object.hasOwn(commonFields, name)))
  return {
    source,
    webhookUrl: webhook_url ?? null,
    customer: customer ?? null,
    metadata: metadata ?? null,
    input: withoutSecrets(input),
    ...takeDestinations(fields),
  }
}

/** Parses a body. Throws `validation_failed`. `or` is added to the message for a body that is not a JSON object. */
export function parseBody<Schema extends z.ZodObject>(
  owner: BodyOwner & { schema: Schema },
  body: unknown,
  or = '',
): z.output<Schema> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('validation_failed', `The body must be a JSON object${or}.`)
  }
  const parsed = owner.schema.safeParse(body)
  const between = owner.endpoint === undefined ? [] : outputsIssues(owner.endpoint, body)
  const dropped = parsed.success ? droppedKeys(body, parsed.data) : []
  if (parsed.success && between.length === 0 && dropped.length === 0 && hasOnlyFitTexts(body)) return parsed.data
  throw validationFailed(invalidFields(owner, body, [...(parsed.error?.issues ?? []), ...between, ...dropped]))
}

/** Returns an issue for each key named `__proto__`. A zod record ignores this key instead of rejecting it. */
function droppedKeys(sent: unknown, parsed: unknown, path: PropertyKey[] = []): z.core.$ZodIssue[] {
  if (sent === parsed || typeof sent !== 'object' || sent === null) return []
  if (typeof parsed !== 'object' || parsed === null) return []
  return Object.entries(sent).flatMap(([key, value]) => {
    const at = [...path, Array.isArray(sent) ? Number(key) : key]
    if (Object.hasOwn(parsed, key)) return droppedKeys(value, (parsed as Record<string, unknown>)[key], at)
    if (key !== '__proto__') return []
    const params = { code: 'unknown_parameter' }
    return [{ code: 'custom', path: at, input: value, params, message: 'is not allowed as a name: use another name' }]
  })
}

function checkSourceCount(endpoint: Endpoint, parameters: Record<string, unknown>): void {
  const sources = endpoint.sources?.(parameters) ?? []
  const count = new Set(sources.map(({ url }) => url)).size
  if (count <= MAX_FURTHER_SOURCES) return
  const message = `outputs and operations together must use at most ${MAX_FURTHER_SOURCES} different values of image_url (got ${count}).`
  throw validationFailed([{ param: OUTPUTS, code: 'too_long', message }])
}

export function validationFailed(errors: InvalidField[]): ApiError {
  const [first] = errors
  if (first === undefined) throw new RangeError('the failed validation has no invalid field')
  return new ApiError('validation_failed', first.message, { param: first.param, errors })
}

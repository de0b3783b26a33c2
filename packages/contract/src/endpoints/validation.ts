import { z } from 'zod'
import type { InvalidField } from '../domain/errors.ts'
import { ApiError } from '../domain/errors.ts'
import { schemaName } from '../lib/schema-name.ts'
import { commonFields } from './common-fields.ts'
import type { Destination } from './destination.ts'
import { takeDestination, withoutSecrets } from './destination.ts'
import type { Endpoint } from './endpoint.ts'
import { hasOnlyFitTexts, invalidFields } from './faults/invalid-fields.ts'

/** A body that passed: the common fields, and the endpoint's own with their defaults. */
export type ValidBody = {
  source: string
  webhookUrl: string | null
  customer: string | null
  metadata: Record<string, string> | null
  /** Where the result is to be put as well, with the signature of its URL. */
  destination: Destination | null
  /**
   * What was sent besides the common fields, as it was sent but for the secrets of its destination: the `input` that is
   * echoed (rulings 14, 18).
   */
  input: Record<string, unknown>
  /** The endpoint's own fields with their defaults, without the destination. */
  parameters: Record<string, unknown>
}

const schemas = new Map<string, ReturnType<typeof withCommonFields>>()

/** The schema of an endpoint's whole body. */
export function bodySchema(endpoint: Endpoint) {
  const schema = schemas.get(endpoint.name) ?? withCommonFields(endpoint)
  schemas.set(endpoint.name, schema)
  return schema
}

const withCommonFields = (endpoint: Endpoint) =>
  z
    .strictObject({ ...commonFields, ...endpoint.body.shape })
    .meta({ id: `${schemaName(endpoint.name)}Body`, description: `What ${endpoint.name} takes.` })

/** Validates a body; throws `validation_failed` with every invalid field, in document order (rulings 3). */
export function validateBody(endpoint: Endpoint, body: unknown): ValidBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('validation_failed', 'The body must be a JSON object.')
  }
  const parsed = bodySchema(endpoint).safeParse(body)
  if (!parsed.success || !hasOnlyFitTexts(body)) {
    throw validationFailed(invalidFields(endpoint, body, parsed.error?.issues ?? []))
  }
  const { source, webhook_url, customer, metadata, ...fields } = parsed.data
  const input = Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(commonFields, name)))
  return {
    source,
    webhookUrl: webhook_url ?? null,
    customer: customer ?? null,
    metadata: metadata ?? null,
    input: withoutSecrets(input),
    ...takeDestination(fields),
  }
}

/** The error of rulings 3: `param` and `message` repeat the first invalid field. */
export function validationFailed(errors: InvalidField[]): ApiError {
  const [first] = errors
  if (first === undefined) throw new RangeError('a failed validation without an invalid field')
  return new ApiError('validation_failed', first.message, { param: first.param, errors })
}

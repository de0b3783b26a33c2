import type { Endpoint } from '../endpoints/endpoint.ts'
import { sentSchema } from '../endpoints/validation.ts'
import { estimate } from '../objects/estimate.ts'
import { exampleBody, exampleEstimate } from '../objects/examples.ts'
import { defineRoute } from '../route.ts'
import { processingRoute } from './process.ts'

/** Errors that an estimate cannot cause, because it starts no request. */
const ONLY_OF_A_START = [
  'insufficient_credits',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'concurrency_limited',
  'test_mode_daily_limit',
] as const

export function estimateRoute(endpoint: Endpoint) {
  const { operationId, tag, summary, rejections } = processingRoute(endpoint)
  const isOnlyOfAStart = (code: (typeof rejections)[number]) => ONLY_OF_A_START.some((only) => only === code)
  return defineRoute({
    operationId: `${operationId}Estimate`,
    method: 'post',
    path: `/v1/${endpoint.name}/estimate`,
    tag,
    summary: `${summary}: estimate the price`,
    description: 'Accepts the same body as the endpoint and returns the same errors, but starts and charges nothing.',
    key: true,
    body: { schema: sentSchema(endpoint), example: exampleBody(endpoint) },
    responses: { 200: { description: 'The estimate.', schema: estimate, example: exampleEstimate(endpoint) } },
    rejections: rejections.filter((code) => !isOnlyOfAStart(code)),
  })
}

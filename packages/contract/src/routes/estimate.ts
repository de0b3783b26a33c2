import type { Endpoint } from '../endpoints/endpoint.ts'
import { bodySchema } from '../endpoints/validation.ts'
import { estimate } from '../objects/estimate.ts'
import { exampleBody, exampleEstimate } from '../objects/examples.ts'
import { defineRoute } from '../route.ts'
import { processingRoute } from './process.ts'

/** What a start alone can meet: a key for retries, and the limits of what is started. */
const ONLY_OF_A_START = [
  'insufficient_credits',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'concurrency_limited',
  'test_mode_daily_limit',
] as const

/** The route that tells what a call of a processing endpoint would cost (rulings 16). */
export function estimateRoute(endpoint: Endpoint) {
  const { operationId, tag, summary, refusals } = processingRoute(endpoint)
  const isOnlyOfAStart = (code: (typeof refusals)[number]) => ONLY_OF_A_START.some((only) => only === code)
  return defineRoute({
    operationId: `${operationId}Estimate`,
    method: 'post',
    path: `/v1/${endpoint.name}/estimate`,
    tag,
    summary: `${summary}: what it would cost`,
    description:
      'Takes the same body as the endpoint and refuses what that refuses, but starts, writes and charges nothing.',
    key: true,
    body: { schema: bodySchema(endpoint), example: exampleBody(endpoint) },
    answers: { 200: { description: 'What it would cost.', schema: estimate, example: exampleEstimate(endpoint) } },
    refusals: refusals.filter((code) => !isOnlyOfAStart(code)),
  })
}

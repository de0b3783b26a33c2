import { createHash } from 'node:crypto'
import { MAX_ATTEMPTS } from '@mediamill/contract/domain/limits'
import { microUsd } from '@mediamill/contract/domain/money'
import { findEndpoint } from '@mediamill/contract/endpoints/index'
import type { Received } from '../support/receiver.ts'
import type { Observation } from './client.ts'
import type { RequestRecord } from './records.ts'
import type { RequestPlan } from './request-plans.ts'
import { ENDINGS, VIDEO_SECONDS } from './sources.ts'

export type GuaranteeResult = { guarantee: string; violations: string[] }

type Evidence = {
  plans: readonly RequestPlan[]
  observations: readonly Observation[]
  records: readonly RequestRecord[]
  received: readonly Received[]
  /** Whether a request may fail because all its attempts were lost. */
  mayLoseAttempts: boolean
  isGenuine: (post: Received, account: number) => boolean
}

export function checkGuarantees(evidence: Evidence): GuaranteeResult[] {
  const { records, observations, plans } = evidence
  const byPlan = Map.groupBy(records, ({ plan }) => plan)
  const each = <Item>(items: readonly Item[], find: (item: Item) => string | undefined | false) =>
    items.flatMap((item) => find(item) || [])
  return [
    {
      guarantee: 'every plan created exactly one request, and all its calls returned the same id',
      violations: each(observations, ({ plan, ids }) => {
        const own = (byPlan.get(plan.number) ?? []).map(({ id }) => id)
        const isOne = own.length === 1 && ids.size === 1 && ids.has(own[0] ?? Number.NaN)
        return !isOne && `plan ${plan.number}: rows ${own.join()}, returned ids ${[...ids].join()}`
      }),
    },
    {
      guarantee: 'no client received an unexpected response',
      violations: observations.flatMap(({ complaints }) => complaints),
    },
    {
      guarantee: 'every accepted request reached a final state',
      violations: each(records, ({ id, status }) => !isFinal(status) && `request ${id} is ${status}`),
    },
    {
      guarantee: 'a final state that a client received does not change',
      violations: each(observations, (observation) =>
        changedMind(observation, byPlan.get(observation.plan.number)?.[0]),
      ),
    },
    {
      guarantee: 'every request ended as expected, or lost all its attempts',
      violations: each(records, (record) => wrongEnding(record, plans[record.plan], evidence.mayLoseAttempts)),
    },
    {
      guarantee: 'every video is as long as its source: no segment is missing or repeated',
      violations: each(records, (record) => wrongLength(record)),
    },
    {
      guarantee: 'every succeeded live request is charged exactly once, and no other request is charged',
      violations: each(records, (record) => mischarged(record)),
    },
    {
      guarantee: 'every request has exactly one event, of the right type',
      violations: each(records, ({ id, status, events }) => {
        const types = events.map(({ type }) => type).join()
        return types !== `request.${status}` && `request ${id} is ${status}, with events "${types}"`
      }),
    },
    {
      guarantee: 'every event with a URL was delivered, and all its deliveries have the same id and body',
      violations: misdelivered(evidence),
    },
  ]
}

const isFinal = (status: string) => ['succeeded', 'failed', 'aborted'].includes(status)

function changedMind({ plan, finals, wasAborted }: Observation, record: RequestRecord | undefined): string | undefined {
  const seen = new Set([...finals, ...(wasAborted ? ['aborted'] : [])])
  const isSame = [...seen].every((status) => status === record?.status)
  return isSame ? undefined : `plan ${plan.number}: received ${[...seen].join()}, now ${record?.status}`
}

function wrongEnding(
  { id, status, error, attempt }: RequestRecord,
  plan: RequestPlan | undefined,
  mayLose: boolean,
): string | undefined {
  if (plan === undefined) return `request ${id} belongs to no plan`
  if (status === 'aborted')
    return plan.abortAfterMs === undefined ? `request ${id} is aborted, but no client aborted it` : undefined
  const ending = status === 'failed' ? error?.code : status
  const made = ENDINGS[plan.source][plan.endpoint]
  // If the destination always rejects the file, the request must fail with `processing_failed`.
  const due = made === 'succeeded' && plan.destination === 'denying' ? 'processing_failed' : made
  const isLost =
    mayLose && attempt === MAX_ATTEMPTS && error?.message.startsWith('Processing stopped unexpectedly') === true
  if (ending === due || isLost) return undefined
  return `request ${id} of a ${plan.source} source, attempt ${attempt}: ${ending} ${error?.message ?? ''}`
}

/** The maximum difference between the lengths of a video result and its source: a few audio frames of 23 ms. */
const SLACK_SECONDS = 0.1

function wrongLength({ id, endpoint, status, seconds }: RequestRecord): string | undefined {
  if (endpoint !== 'videos/process' || status !== 'succeeded') return undefined
  const isRight = seconds !== null && Math.abs(seconds - VIDEO_SECONDS) < SLACK_SECONDS
  return isRight ? undefined : `request ${id}: ${seconds} s instead of ${VIDEO_SECONDS} s`
}

const priceOf = (name: string) => findEndpoint(name)?.price ?? 0

function mischarged({ id, livemode, status, price, charges, endpoint }: RequestRecord): string | undefined {
  const due = livemode && status === 'succeeded' ? [microUsd(priceOf(endpoint))] : []
  const isRight = charges.join() === due.join() && price === (due[0] ?? 0)
  return isRight ? undefined : `request ${id} (${status}): price ${price}, charges [${charges.join()}]`
}

function misdelivered({ records, received, plans, isGenuine }: Evidence): string[] {
  const posts = Map.groupBy(received, ({ headers }) => String(headers['service-event-id']))
  const violations: string[] = []
  const known = new Set<string>()
  for (const { id, plan, events } of records) {
    for (const event of events) {
      known.add(event.id)
      const own = posts.get(event.id) ?? []
      const bodies = new Set(own.map(({ raw }) => createHash('sha256').update(raw).digest('hex')))
      const wanted = plans[plan]?.webhook === true
      const status = wanted ? 'delivered' : 'unaddressed'
      if (event.status !== status) violations.push(`event ${event.id} of request ${id} is ${event.status}`)
      if (wanted !== own.length > 0)
        violations.push(`event ${event.id} of request ${id} was posted ${own.length} times`)
      if (bodies.size > 1) violations.push(`event ${event.id} was posted with ${bodies.size} bodies`)
      if (own.some(({ raw }) => JSON.parse(raw.toString()).data?.id !== id))
        violations.push(`event ${event.id} does not contain request ${id}`)
      if (own.some((post) => !isGenuine(post, plans[plan]?.account ?? -1)))
        violations.push(`event ${event.id} has an invalid signature`)
    }
  }
  for (const id of posts.keys())
    if (!known.has(id)) violations.push(`event ${id} was posted, but belongs to no request`)
  return violations
}

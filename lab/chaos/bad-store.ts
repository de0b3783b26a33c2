import { setTimeout as delay } from 'node:timers/promises'
import type { Disruption } from './disrupt.ts'
import type { FaultyS3 } from './faulty-s3.ts'
import type { GuaranteeResult } from './guarantees.ts'
import type { RequestPlan } from './request-plans.ts'

/** The percentage of calls that fail. For some time, all calls fail instead. */
const SHARE = 20

/** One in this many planned requests has a large file of noise, which needs a multipart upload to the store. */
const NOISE_EVERY = 15

export function withLargeFiles(plans: readonly RequestPlan[]): RequestPlan[] {
  return plans.map((plan) => {
    if (plan.number % NOISE_EVERY !== 0) return plan
    const arrival = plan.number % (2 * NOISE_EVERY) === 0 ? 'whole' : 'url'
    return { ...plan, source: 'noise', endpoint: 'process', arrival, uploadEnds: 'kept', abortAfterMs: undefined }
  })
}

/** The statuses of `/readyz` of each API server, while every call to the store failed, and after it recovered. */
export type Readiness = { away: number[]; back: number[] }

export async function runBadStore(
  s3: FaultyS3,
  urls: readonly string[],
  spanMs: number,
): Promise<{ disruptions: Disruption[]; readiness: Readiness }> {
  const at = Date.now()
  s3.misbehave(SHARE)
  await delay(spanMs * 0.4)
  s3.misbehave(100)
  const allMs = Math.max(6_000, spanMs * 0.15)
  const [away] = await Promise.all([Promise.all(urls.map((url) => untilReadiness(url, 503))), delay(allMs)])
  s3.misbehave(SHARE)
  await delay(spanMs * 0.3)
  s3.misbehave(0)
  const back = await Promise.all(urls.map((url) => untilReadiness(url, 200)))
  return { disruptions: [{ at, what: 'store', how: 'misbehaves', until: Date.now() }], readiness: { away, back } }
}

/** Returns the status of `/readyz`. Returns 0 if the connection was closed three times in a row. */
async function readinessOf(url: string): Promise<number> {
  for (let tries = 1; tries <= 3; tries += 1) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    await response?.arrayBuffer().catch(() => undefined)
    if (response !== undefined) return response.status
  }
  return 0
}

const TRIES = 40

async function untilReadiness(url: string, wanted: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const status = await readinessOf(url)
    if (status === wanted || tries === TRIES) return status
    await delay(250)
  }
}

export function checkStoreFaults(s3: FaultyS3, { away, back }: Readiness): GuaranteeResult[] {
  return [
    {
      guarantee: '/readyz returns 503 while the store is unavailable, and 200 after it recovers',
      violations:
        away.every((status) => status === 503) && back.every((status) => status === 200)
          ? []
          : [`${away.join()}, then ${back.join()}`],
    },
    { guarantee: 'after cleanup, no multipart upload is open in the store', violations: s3.openUploads() },
    {
      guarantee: 'every kind of store fault occurred',
      violations: Object.keys(Object.fromEntries(s3.counts)).length >= 7 ? [] : [JSON.stringify([...s3.counts])],
    },
  ]
}

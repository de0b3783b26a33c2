import { createHmac } from 'node:crypto'
import type { Received } from '../support/receiver.ts'
import type { Tally } from './caller.ts'
import type { Disruption } from './disrupt.ts'
import type { GuaranteeResult } from './guarantees.ts'
import type { TrialOptions } from './trial.ts'

/** Checks the signature (webhooks.signature.1). Ignores its age, because a trial can last longer than the age limit. */
export function isSigned(secret: string | undefined, { raw, headers }: Received): boolean {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['service-signature'])) ?? []
  const expected = createHmac('sha256', secret ?? '')
    .update(`${t}.`)
    .update(raw)
    .digest('hex')
  return secret !== undefined && v1 === expected
}

/** The time after a store outage in which calls that waited for the store may still return 5xx. */
const STORE_FAULTS_MS = 15_000

/** The time after a clock jump of the database in which an upload in progress may return 5xx. */
const JUMP_FAULTS_MS = 30_000

export const isThroughProxy = (manner: TrialOptions['manner']) => manner === 'roll' || manner === 'upgrade'

/** Checks that each 5xx has a cause: the database was down, or a store outage or a clock jump affected an upload. */
export function checkResponses(
  options: TrialOptions,
  { faults, responses }: Tally,
  disruptions: readonly Disruption[],
): GuaranteeResult[] {
  const ends = disruptions.filter(({ what }) => what === 'database')
  const [store] = disruptions.filter(({ what }) => what === 'store')
  const storeUntil = (store?.until ?? (store?.at ?? 0) + options.storeFailsSeconds * 1_000) + STORE_FAULTS_MS
  const isExplained = ({ at, isUpload }: Tally['faults'][number]) =>
    ends.some((end) => at >= end.at && at < (end.until ?? end.at)) ||
    // After a clock jump, the service cannot determine whether the lease of an upload is still valid.
    (isUpload && options.manner === 'clocks' && ends.some((end) => at >= end.at && at < end.at + JUMP_FAULTS_MS)) ||
    // During an outage of the store, the service cannot store an upload, so the upload call may return 5xx.
    (isUpload && store !== undefined && at >= store.at && at < storeUntil)
  const others = faults.filter((fault) => !isExplained(fault))
  return [
    {
      guarantee: `no call returned 5xx${exceptions(options.manner)}`,
      violations: others.map(({ at }) => `5xx at ${new Date(at).toISOString()}`),
    },
    ...(isThroughProxy(options.manner) ? [checkProxy(responses)] : []),
  ]
}

/** Checks that clients of the proxy noticed no restart: each call got a response, and none got a 5xx. */
function checkProxy(responses: Tally['responses']): GuaranteeResult {
  const failed = [...responses].filter(([what]) => what === 'network' || what.startsWith('5'))
  return {
    guarantee: 'no call through the proxy failed',
    violations: failed.map(([what, count]) => `${count} calls: ${what}`),
  }
}

function exceptions(manner: TrialOptions['manner']): string {
  if (isThroughProxy(manner)) return ''
  if (manner === 'clocks') return ', except uploads during a jump of the database clock'
  return ', except during a database outage, or for uploads during a store outage'
}

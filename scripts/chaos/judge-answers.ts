import { createHmac } from 'node:crypto'
import type { Received } from '../../test/support/receiver.ts'
import type { Tally } from './caller.ts'
import type { Verdict } from './judge.ts'
import type { TrialOptions } from './trial.ts'
import type { Blow } from './wrecker.ts'

/** Spec 6.4, whatever the time is now: a trial may take longer than a receiver should wait. */
export function isSigned(secret: string | undefined, { raw, headers }: Received): boolean {
  const [, t = '', v1 = ''] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['service-signature'])) ?? []
  const expected = createHmac('sha256', secret ?? '')
    .update(`${t}.`)
    .update(raw)
    .digest('hex')
  return secret !== undefined && v1 === expected
}

/** How long after the store is there again calls that it kept waiting may be answered with a fault. */
const STORE_FAULTS_MS = 15_000

/** Faults of the service are answered while its database is away, and at no other time. */
export function judgeAnswers(options: TrialOptions, { faults }: Tally, blows: readonly Blow[]): Verdict[] {
  const ends = blows.filter(({ what }) => what === 'database')
  const [store] = blows.filter(({ what }) => what === 'store')
  const storeUntil = (store?.until ?? (store?.at ?? 0) + options.storeFailsSeconds * 1_000) + STORE_FAULTS_MS
  const isExplained = ({ at, isUpload }: Tally['faults'][number]) =>
    ends.some((end) => at >= end.at && at < (end.until ?? end.at)) ||
    // A file that cannot be stored is not accepted.
    (isUpload && store !== undefined && at >= store.at && at < storeUntil)
  const others = faults.filter((fault) => !isExplained(fault))
  const promise = ['rolling', 'upgrade', 'clocks'].includes(options.manner)
    ? 'no call was answered with a fault'
    : 'no call was answered with a fault but while the database was away, or the store for an upload'
  return [{ promise, broken: others.map(({ at }) => `a 5xx at ${new Date(at).toISOString()}`) }]
}

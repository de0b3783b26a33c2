import { createHmac } from 'node:crypto'
import type { Received } from '../support/receiver.ts'
import type { Tally } from './caller.ts'
import type { Verdict } from './judge.ts'
import type { TrialOptions } from './trial.ts'
import type { Blow } from './wrecker.ts'

/** The signature (webhooks.signature.1), whatever the time is now: a trial may take longer than a receiver should wait. */
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

/** An upload that was on its way when the database's clock jumped is answered with a fault, at the latest so long after. */
const JUMP_FAULTS_MS = 30_000

/** Faults of the service are answered while its database is away, and at no other time. */
export function judgeAnswers(options: TrialOptions, { faults }: Tally, blows: readonly Blow[]): Verdict[] {
  const ends = blows.filter(({ what }) => what === 'database')
  const [store] = blows.filter(({ what }) => what === 'store')
  const storeUntil = (store?.until ?? (store?.at ?? 0) + options.storeFailsSeconds * 1_000) + STORE_FAULTS_MS
  const isExplained = ({ at, isUpload }: Tally['faults'][number]) =>
    ends.some((end) => at >= end.at && at < (end.until ?? end.at)) ||
    // Nobody knows whether the place of an upload is still its own.
    (isUpload && options.manner === 'clocks' && ends.some((end) => at >= end.at && at < end.at + JUMP_FAULTS_MS)) ||
    // A file that cannot be stored is not accepted.
    (isUpload && store !== undefined && at >= store.at && at < storeUntil)
  const others = faults.filter((fault) => !isExplained(fault))
  return [
    {
      promise: `no call was answered with a fault${exceptions(options.manner)}`,
      broken: others.map(({ at }) => `a 5xx at ${new Date(at).toISOString()}`),
    },
  ]
}

function exceptions(manner: TrialOptions['manner']): string {
  if (manner === 'rolling' || manner === 'upgrade') return ''
  if (manner === 'clocks') return ' but an upload during which the clock of the database jumped'
  return ' but while the database was away, or the store for an upload'
}

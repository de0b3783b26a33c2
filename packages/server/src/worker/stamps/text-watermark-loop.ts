import { ApiError, RequestFailure } from '@mediamill/contract/domain/errors'
import type { Logger } from 'pino'
import type { Sql } from '../../db/connection/connect.ts'
import type { StampClaim, StampOutcome } from '../../db/uploads/stamps.ts'
import { claimStamp, releaseStamps, renewStamps, settleStamp } from '../../db/uploads/stamps.ts'
import type { Work } from '../../queue/claim-loop.ts'
import { ClaimLoop } from '../../queue/claim-loop.ts'
import { notify, subscribeToQueue } from '../../queue/notifications.ts'

const POLL_MS = 2_000
const UNNOTIFIED_POLL_MS = 200

/** If a worker does not renew its text watermarks for `LEASE_MS`, other workers claim them. */
const LEASE_MS = 10_000
const RENEW_MS = 2_000

/** How often a text watermark is tried. Limits the damage if it crashes every worker. */
const MAX_ATTEMPTS = 2

/** Thrown if no call waits for a text watermark any more, or another worker draws it. */
export class TextWatermarkAbandoned extends Error {
  override name = 'TextWatermarkAbandoned'
}

export type TextWatermarkOutcome = 'drawn' | 'rejected' | 'abandoned' | 'error'

type TextWatermarkLoopOptions = {
  sql: Sql
  notices: Sql | undefined
  slots: number
  hasDiskSpace: () => boolean
  draw: (claim: StampClaim, signal: AbortSignal) => Promise<void>
  onEnd: (outcome: TextWatermarkOutcome) => void
  log: Logger
}

export function createTextWatermarkLoop(options: TextWatermarkLoopOptions): ClaimLoop<StampClaim> {
  const { sql, notices, slots, hasDiskSpace, draw, onEnd, log } = options
  // The slots of all workers that one account may use.
  const perAccount = Math.max(1, Math.floor(slots / 2))
  const work: Work<StampClaim> = {
    name: 'text watermarks',
    keyOf: ({ id }) => id,
    claim: async (running) =>
      running.length < slots && hasDiskSpace() ? await claimStamp(sql, { perAccount, leaseMs: LEASE_MS }) : undefined,
    async run(claim, signal) {
      try {
        if (claim.attempt > MAX_ATTEMPTS)
          throw new Error('too many workers stopped while they drew this text watermark')
        await draw(claim, signal)
      } catch (error) {
        if (signal.aborted || error instanceof TextWatermarkAbandoned) return onEnd('abandoned')
        const outcome = outcomeOf(error)
        onEnd(outcome.status === 'failed' ? 'rejected' : 'error')
        const fields = { err: error, account_id: claim.accountId }
        if (outcome.status === 'ours') log.error(fields, 'text watermark failed')
        else log.info({ ...fields, code: outcome.code }, 'text watermark rejected')
        throw error
      }
      onEnd('drawn')
      notify(sql, `text-watermark:${claim.id}`)
    },
    // A failed text watermark is not retried, because its call returns the error.
    async requeue(claim, error) {
      await settleStamp(sql, claim, outcomeOf(error), null)
      notify(sql, `text-watermark:${claim.id}`)
    },
    release: (unfinished) => releaseStamps(sql, unfinished),
    renew: {
      intervalMs: RENEW_MS,
      async leases(running) {
        const wanted = await renewStamps(sql, running, LEASE_MS)
        return running.flatMap(({ id }) => (wanted.includes(id) ? [] : [id]))
      },
    },
    poll: { intervalMs: notices === undefined ? UNNOTIFIED_POLL_MS : POLL_MS },
    ...(notices !== undefined && { listen: ({ wake }) => subscribeToQueue(notices, 'text-watermarks', wake) }),
  }
  return new ClaimLoop(work, { log })
}

function outcomeOf(error: unknown): Exclude<StampOutcome, { status: 'drawn' }> {
  if (!(error instanceof RequestFailure || error instanceof ApiError)) return { status: 'ours' }
  if (error instanceof ApiError && error.status >= 500) return { status: 'ours' }
  return { status: 'failed', code: error.code, message: error.message }
}

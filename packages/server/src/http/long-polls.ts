import type { Tier } from '@mediamill/contract/domain/limits'
import { LONG_POLLS_PER_REQUEST, MAX_LONG_POLLS } from '@mediamill/contract/domain/limits'
import type { FastifyReply } from 'fastify'
import type { Registry } from 'prom-client'
import type { Caller } from '../accounts/authenticate.ts'
import { hasFreeSlot } from '../accounts/shared-slots.ts'
import { metricsOf } from '../telemetry/metrics.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the call can take long. Such a call has no timeout, and its duration is not measured. */
    isLongCall: boolean
  }
}

type Outcome = 'completed' | 'timeout' | 'disconnected' | 'stopped'

export type LongPolls = {
  /**
   * Runs `wait` for up to `seconds`. The signal aborts earlier if the client disconnects. Returns `undefined` if no
   * slot is free, or the call has ended.
   */
  hold: <Found>(
    call: LongCall,
    seconds: number,
    wait: (signal: AbortSignal) => Promise<Found>,
  ) => Promise<Found | undefined>
}

type OpenPoll = { owner: string; tier: Tier }

type LongCall = { caller: Pick<Caller, 'account' | 'livemode' | 'limits'>; reply: FastifyReply }

export function openLongPolls(registry: Registry): LongPolls {
  const open = new Set<OpenPoll>()
  const count = measure(registry, open)
  return {
    async hold({ caller, reply }, seconds, wait) {
      if (reply.sent || reply.raw.destroyed) return undefined
      const poll = { owner: `${caller.account.id} ${caller.livemode}`, tier: caller.account.tier }
      const own = [...open].filter(({ owner }) => owner === poll.owner).length
      const isFull = own >= LONG_POLLS_PER_REQUEST * caller.limits.concurrentRequests
      if (isFull || !hasFreeSlot(open, poll.tier, MAX_LONG_POLLS)) {
        count('rejected')
        return undefined
      }
      open.add(poll)
      reply.isLongCall = true
      const ending = new AbortController()
      let outcome: Outcome = 'stopped'
      const end = (why: Outcome) => {
        outcome = why
        ending.abort()
      }
      const timer = setTimeout(end, seconds * 1_000, 'timeout')
      const onClose = () => end('disconnected')
      reply.raw.once('close', onClose)
      try {
        const found = await wait(ending.signal)
        if (found !== undefined) outcome = 'completed'
        return found
      } finally {
        open.delete(poll)
        clearTimeout(timer)
        reply.raw.off('close', onClose)
        count(outcome)
      }
    },
  }
}

function measure(registry: Registry, open: ReadonlySet<OpenPoll>): (outcome: Outcome | 'rejected') => void {
  const { counter, gauge } = metricsOf(registry)
  gauge('long_polls', 'Open long polls and event streams; at most 2,000 per process.', [], (metric) => {
    metric.set(open.size)
  })
  const ends = counter(
    'long_polls_total',
    'Long polls and streams: `completed`, `timeout`, `disconnected` (by the client), `stopped`, `rejected` (over the limit).',
    ['outcome'],
  )
  return (outcome) => ends.inc({ outcome })
}

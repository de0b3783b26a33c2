import type { Tier } from '@mediamill/contract/domain/limits'
import { LONG_POLLS_PER_REQUEST, MAX_LONG_POLLS } from '@mediamill/contract/domain/limits'
import type { FastifyReply } from 'fastify'
import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'
import type { Caller } from '../accounts/authenticate.ts'
import { hasFreeSlot } from '../accounts/shared-slots.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the call can take long. Such a call has no timeout, and its duration is not measured. */
    isLongCall: boolean
  }
}

type Outcome = 'completed' | 'timeout' | 'disconnected' | 'stopped'

export type LongPolls = {
  /** Runs `wait` up to `seconds`, while the client is connected. Returns its result. `undefined`: no slot is free. */
  hold: <Found>(
    call: LongCall,
    seconds: number,
    wait: (signal: AbortSignal) => Promise<Found>,
  ) => Promise<Found | undefined>
}

type LongCall = { caller: Pick<Caller, 'account' | 'livemode' | 'limits'>; reply: FastifyReply }

export function openLongPolls(registry: Registry): LongPolls {
  const slots = new Slots()
  const count = measure(registry, slots)
  return {
    async hold({ caller, reply }, seconds, wait) {
      // The client has disconnected, or the call has timed out.
      if (reply.sent || reply.raw.destroyed) return undefined
      using slot = slots.take(caller)
      if (slot === undefined) {
        count('rejected')
        return undefined
      }
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
        clearTimeout(timer)
        reply.raw.off('close', onClose)
        count(outcome)
      }
    },
  }
}

class Slots {
  readonly #used = new Set<{ owner: string; tier: Tier }>()

  get size(): number {
    return this.#used.size
  }

  /** Takes a slot. Disposing of the result frees the slot. Returns `undefined` if no slot is free. */
  take({ account, livemode, limits }: LongCall['caller']): Disposable | undefined {
    const owner = `${account.id} ${livemode}`
    const own = [...this.#used].filter((one) => one.owner === owner).length
    if (own >= LONG_POLLS_PER_REQUEST * limits.concurrentRequests) return undefined
    if (!hasFreeSlot(this.#used, account.tier, MAX_LONG_POLLS)) return undefined
    const slot = { owner, tier: account.tier }
    this.#used.add(slot)
    return { [Symbol.dispose]: () => void this.#used.delete(slot) }
  }
}

function measure(registry: Registry, slots: Slots): (outcome: Outcome | 'rejected') => void {
  new Gauge({
    name: 'mediamill_long_polls',
    help: 'Open long polls and event streams; at most 2,000 per process.',
    registers: [registry],
    collect() {
      this.set(slots.size)
    },
  })
  const ends = new Counter({
    name: 'mediamill_long_polls_total',
    help: 'Long polls and streams: `completed`, `timeout`, `disconnected` (by the client), `stopped`, `rejected` (over the limit).',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return (outcome) => ends.inc({ outcome })
}

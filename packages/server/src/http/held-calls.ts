import { HELD_CALLS_PER_REQUEST, MAX_HELD_CALLS } from '@mediamill/contract/domain/limits'
import type { FastifyReply } from 'fastify'
import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'
import type { Caller } from '../accounts/authenticate.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the call is held on purpose: then neither its patience nor its time is this side's. */
    isHeld: boolean
  }
}

/** How holding a call ended: with what it waited for, with its time, with its client, or with this process. */
type Outcome = 'answered' | 'timeout' | 'gone' | 'stopped'

/** Holds calls open until there is something to say, within bounds; one for a process. */
export type HeldCalls = {
  /**
   * Runs `wait` with a signal that aborts after `seconds` and when the client hangs up; returns what it found.
   *
   * `undefined` when it found nothing by then, and at once where an account or this process holds as many calls as it may.
   */
  hold: <Found>(
    call: HoldableCall,
    seconds: number,
    wait: (signal: AbortSignal) => Promise<Found>,
  ) => Promise<Found | undefined>
}

type HoldableCall = { caller: Pick<Caller, 'account' | 'livemode' | 'limits'>; reply: FastifyReply }

/** Opens the places of a process; its metrics show them. */
export function openHeldCalls(registry: Registry): HeldCalls {
  const places = new Places()
  const count = measure(registry, places)
  return {
    async hold({ caller, reply }, seconds, wait) {
      // Nobody waits any more, or the call's patience was at its end before.
      if (reply.sent || reply.raw.destroyed) return undefined
      using place = places.take(caller)
      if (place === undefined) {
        count('refused')
        return undefined
      }
      reply.isHeld = true
      const ending = new AbortController()
      let outcome: Outcome = 'stopped'
      const end = (why: Outcome) => {
        outcome = why
        ending.abort()
      }
      const timer = setTimeout(end, seconds * 1_000, 'timeout')
      const onClose = () => end('gone')
      reply.raw.once('close', onClose)
      try {
        const found = await wait(ending.signal)
        if (found !== undefined) outcome = 'answered'
        return found
      } finally {
        clearTimeout(timer)
        reply.raw.off('close', onClose)
        count(outcome)
      }
    },
  }
}

/** Who is held, by account and mode. */
class Places {
  readonly #held = new Map<string, number>()
  size = 0

  /** A place until it is disposed of; `undefined` when there is none. */
  take({ account, livemode, limits }: HoldableCall['caller']): Disposable | undefined {
    const who = `${account.id} ${livemode}`
    const own = this.#held.get(who) ?? 0
    if (own >= HELD_CALLS_PER_REQUEST * limits.concurrentRequests) return undefined
    if (this.size >= MAX_HELD_CALLS) return undefined
    this.#held.set(who, own + 1)
    this.size += 1
    return { [Symbol.dispose]: () => this.#leave(who) }
  }

  #leave(who: string): void {
    const left = (this.#held.get(who) ?? 1) - 1
    if (left > 0) this.#held.set(who, left)
    else this.#held.delete(who)
    this.size -= 1
  }
}

function measure(registry: Registry, places: Places): (outcome: Outcome | 'refused') => void {
  new Gauge({
    name: 'mediamill_held_calls',
    help: 'Open long polls and event streams; at most 2,000 per process.',
    registers: [registry],
    collect() {
      this.set(places.size)
    },
  })
  const ends = new Counter({
    name: 'mediamill_held_calls_total',
    help: 'Long polls and streams: answered, timeout, gone (client left), stopped, refused (limit).',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return (outcome) => ends.inc({ outcome })
}

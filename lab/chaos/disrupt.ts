import { setTimeout as delay } from 'node:timers/promises'
import { retryUntilAvailable } from '@mediamill/server/db/connection/await-database'
import type { Random } from '../support/random.ts'
import type { Environment } from './environment.ts'
import { BACK_MS } from './fail-over.ts'
import { FAILINGS } from './faulty-store.ts'
import type { Fleet } from './fleet.ts'
import { enginesOf } from './fleet.ts'

/** A failure that a trial caused. If `until` is set, the effects must be over at this time. */
export type Disruption = {
  at: number
  what: 'api' | 'worker' | 'engine' | 'database' | 'store'
  how: string
  until?: number
}

type DisruptionTargets = {
  everyMs: number
  /** The times at which the database server is killed, in milliseconds from the start of the trial. */
  databaseAtMs: readonly number[]
  storeAtMs: number
  storeForMs: number
}

type DisruptionOptions = DisruptionTargets & {
  fleet: Fleet
  environment: Environment
  apis: number
  workers: number
  random: Random
  signal: AbortSignal
}

const START_DEATHS = 0.25

/** Kills processes until `signal` aborts, and makes the database and the store fail. Resolves when both work again. */
export async function disrupt(options: DisruptionOptions): Promise<Disruption[]> {
  const { fleet, environment, random, signal } = options
  const disruptions: Disruption[] = []
  const note = (what: Disruption['what'], how: string): Disruption => {
    const disruption = { at: Date.now(), what, how }
    disruptions.push(disruption)
    return disruption
  }

  async function killProcesses(): Promise<void> {
    while (!signal.aborted) {
      await delay(options.everyMs, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) killOne()
    }
  }

  function killOne(): void {
    const what = random.pick(['api', 'worker', 'engine'] as const)
    if (what === 'engine') {
      const [first, ...others] = enginesOf(environment.dataDir)
      if (first === undefined) return
      const pid = random.pick([first, ...others])
      try {
        process.kill(pid, 'SIGKILL')
        note('engine', `kill -9 ${pid}`)
      } catch {
        // The engine has already exited.
      }
      return
    }
    const index = random.below(what === 'api' ? options.apis : options.workers)
    // Rarely kill a process that is still starting. Otherwise, on a slow machine, no process would become ready.
    if (!fleet.isReady(what, index) && !random.chance(START_DEATHS)) return
    if (fleet.kill(what, index)) note(what, `kill -9 of ${what} ${index}`)
  }

  async function endDatabase(): Promise<void> {
    let passed = 0
    for (const [index, at] of options.databaseAtMs.entries()) {
      await delay(at - passed)
      passed = at
      const signal = index % 2 === 0 ? 'SIGKILL' : 'SIGQUIT'
      const disruption = note('database', signal === 'SIGKILL' ? 'kill -9' : 'immediate shutdown (SIGQUIT)')
      await environment.database.end(signal)
      // The database may need 15 s to recover on a busy machine, but a call waits for it only 8 s, so retry.
      await retryUntilAvailable(() => environment.sql`select`)
      disruption.until = Date.now() + BACK_MS
    }
  }

  async function failStore(): Promise<void> {
    if (environment.store === undefined) return
    await delay(options.storeAtMs)
    for (const failing of FAILINGS) {
      note('store', failing)
      environment.store.fail(failing)
      await delay(options.storeForMs / FAILINGS.length)
    }
    environment.store.mend()
  }

  await Promise.all([killProcesses(), endDatabase(), failStore()])
  return disruptions
}

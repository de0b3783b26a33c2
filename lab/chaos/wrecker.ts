import { setTimeout as delay } from 'node:timers/promises'
import { retryUntilAvailable } from '@mediamill/server/db/connection/await-database'
import type { Random } from '../support/random.ts'
import { BACK_MS } from './fail-over.ts'
import { FAILINGS } from './faulty-store.ts'
import type { Fleet } from './fleet.ts'
import { enginesOf } from './fleet.ts'
import type { World } from './world.ts'

/** One thing that was broken on purpose; `until` is when its effects have to be over, where that is its own. */
export type Blow = { at: number; what: 'api' | 'worker' | 'engine' | 'database' | 'store'; how: string; until?: number }

export type Wreckage = {
  /** Processes are killed so far apart. */
  everyMs: number
  /** When the database's server ends, from the beginning. */
  databaseAtMs: readonly number[]
  storeAtMs: number
  storeForMs: number
}

export type WreckerOptions = Wreckage & {
  fleet: Fleet
  world: World
  apis: number
  workers: number
  random: Random
  /** Ends the killing. */
  signal: AbortSignal
}

/** The share of kills that may hit a starting process. */
const START_DEATHS = 0.25

/** Breaks things until it is told to end; resolves when the database and the store are there again. */
export async function wreck(options: WreckerOptions): Promise<Blow[]> {
  const { fleet, world, random, signal } = options
  const blows: Blow[] = []
  const note = (what: Blow['what'], how: string): Blow => {
    const blow = { at: Date.now(), what, how }
    blows.push(blow)
    return blow
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
      const [first, ...others] = enginesOf(world.dataDir)
      if (first === undefined) return
      const pid = random.pick([first, ...others])
      try {
        process.kill(pid, 'SIGKILL')
        note('engine', `kill -9 ${pid}`)
      } catch {
        // It has ended in this moment.
      }
      return
    }
    const index = random.integer(0, (what === 'api' ? options.apis : options.workers) - 1)
    // Some die while they start; on a slow machine nothing else would ever happen.
    if (!fleet.isReady(what, index) && !random.chance(START_DEATHS)) return
    if (fleet.kill(what, index)) note(what, `kill -9 of ${what} ${index}`)
  }

  async function endDatabase(): Promise<void> {
    let passed = 0
    for (const [index, at] of options.databaseAtMs.entries()) {
      await delay(at - passed)
      passed = at
      const signal = index % 2 === 0 ? 'SIGKILL' : 'SIGQUIT'
      const blow = note('database', signal === 'SIGKILL' ? 'kill -9' : 'an immediate stop')
      await world.database.end(signal)
      // How long it takes to recover is the machine's: a busy one needs a quarter of a minute. A call waits for it 8 s.
      await retryUntilAvailable(() => world.sql`select`)
      blow.until = Date.now() + BACK_MS
    }
  }

  async function failStore(): Promise<void> {
    if (world.store === undefined) return
    await delay(options.storeAtMs)
    for (const failing of FAILINGS) {
      note('store', failing)
      world.store.fail(failing)
      await delay(options.storeForMs / FAILINGS.length)
    }
    world.store.mend()
  }

  await Promise.all([killProcesses(), endDatabase(), failStore()])
  return blows
}

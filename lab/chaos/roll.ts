import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import type { Blow } from './wrecker.ts'

export type RollOptions = { fleet: Fleet; apis: number; workers: number; signal: AbortSignal }

const PAUSE_MS = 500

/** Stops and replaces one process after the other, round and round, at least once each. */
export async function roll({ fleet, apis, workers, signal }: RollOptions): Promise<Blow[]> {
  const blows: Blow[] = []
  do {
    for (const [role, count] of [
      ['worker', workers],
      ['api', apis],
    ] as const)
      for (let index = 0; index < count; index += 1) {
        const at = Date.now()
        const code = await fleet.roll(role, index)
        if (code !== 0) fleet.unasked.push(`${role} ${index} exited with ${code} when it was told to stop`)
        blows.push({ at, what: role, how: `SIGTERM to ${role} ${index}` })
        await delay(PAUSE_MS)
      }
  } while (!signal.aborted)
  return blows
}

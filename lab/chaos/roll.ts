import { setTimeout as delay } from 'node:timers/promises'
import type { Disruption } from './disrupt.ts'
import type { Fleet, RoleName } from './fleet.ts'

const PAUSE_MS = 500

/** Restarts each process in turn. `main` is the program of the new processes (default: unchanged). */
export async function rollEach(fleet: Fleet, order: readonly RoleName[], main?: string): Promise<Disruption[]> {
  const disruptions: Disruption[] = []
  for (const role of order)
    for (const { index } of fleet.members.filter((member) => member.role === role)) {
      const at = Date.now()
      const code = await fleet.roll(role, index, main)
      if (code !== 0) fleet.unasked.push(`${role} ${index} exited with ${code} after SIGTERM`)
      disruptions.push({ at, what: role, how: `SIGTERM to ${role} ${index}` })
      await delay(PAUSE_MS)
    }
  return disruptions
}

export async function roll(fleet: Fleet, signal: AbortSignal): Promise<Disruption[]> {
  const disruptions: Disruption[] = []
  do disruptions.push(...(await rollEach(fleet, ['worker', 'api'])))
  while (!signal.aborted)
  return disruptions
}

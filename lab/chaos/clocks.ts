import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SettableClock } from '../support/faketime.ts'
import { makeClock } from '../support/faketime.ts'
import type { Disruption } from './disrupt.ts'

export type Clocks = AsyncDisposable & { database: SettableClock; worker: SettableClock }

export async function openClocks(): Promise<Clocks> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-clocks-'))
  await chmod(folder, 0o755)
  return {
    database: await makeClock(join(folder, 'database')),
    worker: await makeClock(join(folder, 'worker')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

const HOUR_S = 3_600

/** Sets the clocks forward and back by an hour, at equal intervals. At the end, both clocks show the real time. */
export async function jump({ database, worker }: Clocks, spanMs: number): Promise<Disruption[]> {
  const disruptions: Disruption[] = []
  const steps = [
    ['database', database, HOUR_S],
    ['worker', worker, HOUR_S],
    ['database', database, 0],
    ['worker', worker, -HOUR_S],
    ['database', database, -HOUR_S],
    ['worker', worker, 0],
    ['database', database, 0],
  ] as const
  for (const [what, clock, seconds] of steps) {
    await delay(spanMs / (steps.length + 1))
    disruptions.push({ at: Date.now(), what, how: `clock set to ${seconds} s`, until: Date.now() })
    await clock.set(seconds)
  }
  return disruptions
}

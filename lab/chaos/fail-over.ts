import { setTimeout as delay } from 'node:timers/promises'
import type { Disruption } from './disrupt.ts'
import type { Environment } from './environment.ts'
import type { GuaranteeResult } from './guarantees.ts'

type FailOverOptions = {
  environment: Environment
  urls: readonly string[]
  workers: number
  times: number
  /** The minimum time between two losses of the primary, including the rebuild of the standby. */
  everyMs: number
  say: (line: string) => void
}

/** The time from the promotion of the standby until all API servers, and until all workers, worked again. */
export type Recovery = { interfacesMs: number; workersMs: number }

/** All processes must work again within this time after a standby was promoted. */
export const BACK_MS = 10_000

/** The time after a promotion at which the measurement stops if processes have not recovered. */
const TIMEOUT_MS = 60_000

/** Makes the primary fail several times. With `canGoSilent`, every third primary hangs instead of being killed. */
export async function failOverAgain(
  options: FailOverOptions,
): Promise<{ disruptions: Disruption[]; recoveries: Recovery[] }> {
  const { environment, times, everyMs, say } = options
  const disruptions: Disruption[] = []
  const recoveries: Recovery[] = []
  for (let index = 0; index < times; index += 1) {
    const startedAt = performance.now()
    await delay(everyMs / 2)
    const how = index % 3 === 1 && environment.canGoSilent ? 'SIGSTOP' : 'SIGKILL'
    const at = Date.now()
    await environment.database.failOver(how)
    const promotedAt = Date.now()
    disruptions.push({ at, what: 'database', how: `${how}, and the standby promoted`, until: promotedAt + BACK_MS })
    const recovery = await measure(options)
    recoveries.push(recovery)
    say(
      `${how} of the primary, promoted after ${promotedAt - at} ms; API servers recovered after ${recovery.interfacesMs} ms, workers after ${recovery.workersMs} ms`,
    )
    await environment.database.rebuild()
    await delay(Math.max(0, everyMs - (performance.now() - startedAt)))
  }
  return { disruptions, recoveries }
}

async function measure({ environment, urls, workers }: FailOverOptions): Promise<Recovery> {
  const startedAt = performance.now()
  const [interfacesMs, workersMs] = await Promise.all([
    Promise.all(urls.map((url) => whenTrue(() => readsFromDatabase(url, environment), startedAt))),
    whenTrue(() => haveHeartbeats(environment, workers, startedAt), startedAt),
  ])
  return { interfacesMs: Math.max(...interfacesMs), workersMs }
}

async function whenTrue(isTrue: () => Promise<boolean>, startedAt: number): Promise<number> {
  for (;;) {
    const passed = performance.now() - startedAt
    if (passed > TIMEOUT_MS || (await isTrue().catch(() => false))) return Math.round(performance.now() - startedAt)
    await delay(50)
  }
}

async function readsFromDatabase(url: string, { accounts }: Environment): Promise<boolean> {
  const headers = { authorization: `Bearer ${accounts[0]?.liveKey ?? ''}` }
  const response = await fetch(`${url}/v1/account`, { headers, signal: AbortSignal.timeout(5_000) })
  await response.arrayBuffer()
  return response.status === 200
}

async function haveHeartbeats({ sql }: Environment, workers: number, startedAt: number): Promise<boolean> {
  const since = performance.now() - startedAt
  const [row] = await sql<{ alive: number }[]>`
    select count(*)::integer as alive from workers where seen_at > now() - ${since} * interval '1 millisecond'`
  return (row?.alive ?? 0) >= workers
}

export function checkRecoveries(recoveries: readonly Recovery[]): GuaranteeResult {
  return {
    guarantee: `API servers and workers recover within ${BACK_MS / 1_000} s of a promotion`,
    violations: recoveries.flatMap(({ interfacesMs, workersMs }, index) =>
      Math.max(interfacesMs, workersMs) <= BACK_MS
        ? []
        : [`promotion ${index + 1}: API servers ${interfacesMs} ms, workers ${workersMs} ms`],
    ),
  }
}

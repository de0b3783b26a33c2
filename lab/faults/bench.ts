import { setTimeout as delay } from 'node:timers/promises'
import type { Environment, EnvironmentOptions } from '../chaos/environment.ts'
import { openEnvironment } from '../chaos/environment.ts'
import type { FleetOptions } from '../chaos/fleet.ts'
import { startFleet } from '../chaos/fleet.ts'

export type Finding = { what: string; figure: string; kept: boolean }

export type Scenario = {
  name: string
  missing?: () => string | undefined
  run: (options: ScenarioOptions) => Promise<Finding[]> | AsyncIterable<Finding>
}

type ScenarioOptions = {
  alerts: RegExp
}

type CallResponse = {
  status: number
  ms: number
  body: Record<string, unknown> & { id?: number; status?: string }
}

/** A service that a scenario can make fail. By default, it has an embedded database and stores files on disk. */
export type Bench = AsyncDisposable & {
  environment: Environment
  fleet: Awaited<ReturnType<typeof startFleet>>
  /** The environment variables of the processes. A change applies when a process starts again. */
  settings: Record<string, string>
  /** Calls an API server. Returns status 0 if no response arrives within `timeoutMs`. */
  call: (
    method: string,
    path: string,
    more?: { body?: object; api?: number; account?: number; timeoutMs?: number },
  ) => Promise<CallResponse>
  accept: (kind: string, api?: number) => Promise<number>
  ended: (id: number, withinMs: number) => Promise<{ ms: number; status: string; attempt: number; charges: number }>
}

export async function openBench(
  options: Pick<FleetOptions, 'apis' | 'workers' | 'settingsOf'> & {
    environment?: Partial<EnvironmentOptions>
    settings?: Record<string, string> | ((environment: Environment) => Promise<Record<string, string>>)
    concurrency?: number
    named?: string
  },
): Promise<Bench> {
  await using stack = new AsyncDisposableStack()
  const environment = stack.use(
    await openEnvironment({
      accounts: 1,
      workerConcurrency: options.concurrency ?? 1,
      store: 'files',
      database: 'embedded',
      ...options.environment,
    }),
  )
  const { apis, workers, settingsOf } = options
  const named = (text: string) => (options.named === undefined ? text : text.replace('127.0.0.1', options.named))
  const allowed = named(environment.settings['ALLOWED_PRIVATE_HOSTS'] ?? '')
  const more = typeof options.settings === 'function' ? await options.settings(environment) : options.settings
  const settings: Record<string, string> = { ...environment.settings, ALLOWED_PRIVATE_HOSTS: allowed, ...more }
  const logs = `${environment.folder}/logs`
  const fleet = stack.use(await startFleet({ apis, workers, settings, logs, ...(settingsOf && { settingsOf }) }))
  await fleet.ready()
  const running = stack.move()

  const call: Bench['call'] = async (method, path, { body, api = 0, account = 0, timeoutMs = 15_000 } = {}) => {
    const startedAt = performance.now()
    const passed = () => Math.round(performance.now() - startedAt)
    try {
      const response = await fetch(`${fleet.urls[api]}${path}`, {
        method,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${environment.accounts[account]?.liveKey ?? ''}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, ms: passed(), body: text.startsWith('{') ? JSON.parse(text) : {} }
    } catch {
      return { status: 0, ms: passed(), body: {} }
    }
  }

  const look = async (id: number) => {
    const [row] = await environment.sql<{ status: string; attempt: number; charges: number }[]>`
      select status, attempt, (select count(*)::integer from ledger where request_id = r.id and kind = 'charge') as charges
      from requests r where id = ${id}`
    return row ?? { status: 'missing', attempt: 0, charges: 0 }
  }

  return {
    environment: { ...environment, sources: (kind) => named(environment.sources(kind)) },
    fleet,
    settings,
    call,
    async accept(kind, api = 0) {
      const body = { source: named(environment.sources(kind)), operations: [{ type: 'resize', width: 64, height: 64 }] }
      const response = await call('POST', '/v1/images/process', { body, api })
      if (response.status !== 202)
        throw new Error(`a call returned ${response.status}: ${JSON.stringify(response.body)}`)
      return response.body.id ?? 0
    },
    async ended(id, withinMs) {
      const startedAt = performance.now()
      for (;;) {
        const row = await look(id)
        const ms = Math.round(performance.now() - startedAt)
        if (!['queued', 'processing'].includes(row.status) || ms > withinMs) return { ms, ...row }
        await delay(50)
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Polls a condition. Returns the milliseconds until it was true, or `undefined` after `withinMs`. */
export async function soon(isSo: () => Promise<boolean> | boolean, withinMs: number): Promise<number | undefined> {
  const startedAt = performance.now()
  for (;;) {
    if (await isSo()) return Math.round(performance.now() - startedAt)
    if (performance.now() - startedAt > withinMs) return undefined
    await delay(25)
  }
}

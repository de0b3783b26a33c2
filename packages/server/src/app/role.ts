import { enableCompileCache, flushCompileCache } from 'node:module'
import { clearEnvironment, environment, readConfig } from '../config/config.ts'
import { misspeltSettings } from '../config/misspelt.ts'
import { collectWhenIdle } from '../lib/memory/collect-when-idle.ts'
import { programVersion } from '../lib/program-version.ts'
import type { Logger } from '../telemetry/log.ts'
import { createLog } from '../telemetry/log.ts'
import type { HealthPort } from './database.ts'
import { prepareRole } from './database.ts'
import type { HomeConfig } from './home.ts'
import { openHome } from './home.ts'
import { COMPILE_CACHE } from './postgres/paths.ts'
import { tell } from './role-message.ts'

/**
 * How long a stop may take: 30 s for what runs (operator.stop.1), and something for the rest. A database that accepts
 * statements and answers none would hold it up for good. Below what `serve` waits, so that the log says what happened.
 */
const STOP_DEADLINE_MS = 34_000
/** The log writes through the thread pool: a line is on its way for a moment, a killed process takes it along. */
const LAST_WORDS_MS = 500

/** A role that runs until it is stopped. */
export type Role = { stop: () => Promise<void> }

/**
 * Runs one role in this process until SIGTERM or SIGINT, which let its work finish. The same one again ends it now, and
 * so does the first while the role starts. Throws what kept it from starting.
 *
 * A role whose `serve` was killed ends at once: its database goes down as well, and its requests are taken over.
 */
export async function runRole(
  name: 'api' | 'worker',
  start: (config: HomeConfig, log: Logger) => Promise<Role & { address?: string }>,
  stopDeadlineMs: number = STOP_DEADLINE_MS,
): Promise<void> {
  endWithServe()
  // What it has begun so far ends with this process.
  let onSignal: () => void = () => process.exit(0)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => onSignal())
  // Under `serve` it is on from the start; alone, this process keeps one for its engines.
  enableCompileCache(COMPILE_CACHE)
  const config = readConfig(environment(), name)
  const log = createLog(config.logLevel, name)
  if (process.send === undefined) for (const line of misspeltSettings()) log.warn(line)
  clearEnvironment(name)
  await using home = await openHome(config, (line) => log.warn(line))
  const prepared = await prepareRole(home.config, log, healthPortOf(name, home.config))
  const role = await start(prepared, log)
  const told = Promise.withResolvers<void>()
  onSignal = told.resolve
  await tell(role.address === undefined ? { type: 'ready' } : { type: 'ready', address: role.address })
  log.info({ address: role.address, ...programVersion() }, `${name} is ready`)
  flushCompileCache()
  const stopping = new AbortController()
  collectWhenIdle(stopping.signal)
  await told.promise
  stopping.abort()
  log.info(`${name} is stopping`)
  const late = setTimeout(() => {
    log.error(`${name} does not stop within ${stopDeadlineMs / 1000} s: it is ended; others take over what it held`)
    setTimeout(endNow, LAST_WORDS_MS)
  }, stopDeadlineMs)
  await role.stop()
  clearTimeout(late)
  log.info(`${name} has stopped`)
}

function healthPortOf(name: 'api' | 'worker', { port, metricsPort }: HomeConfig): HealthPort | undefined {
  if (name === 'api') return { setting: 'PORT', port }
  return metricsPort === undefined ? undefined : { setting: 'METRICS_PORT', port: metricsPort }
}

/** Under `serve` there is a channel to it, which closes however it ends: also before anyone listens for that. */
function endWithServe(): void {
  process.once('disconnect', endNow)
  if (process.send !== undefined && !process.connected) endNow()
}

/** Not by `process.exit`, in which Node may hang for good (nodejs/node#54918), deaf to SIGTERM. */
const endNow = () => process.kill(process.pid, 'SIGKILL')

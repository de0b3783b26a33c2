import { enableCompileCache, flushCompileCache } from 'node:module'
import { clearEnvironment, environment, readConfig } from '../config/config.ts'
import { misspeltSettings } from '../config/misspelt.ts'
import { collectWhenIdle } from '../lib/memory/collect-when-idle.ts'
import { programVersion } from '../lib/program-version.ts'
import type { Logger } from '../telemetry/log.ts'
import { createLog } from '../telemetry/log.ts'
import type { HealthPort } from './database.ts'
import { migrateInBackground, prepareRole } from './database.ts'
import type { ServiceConfig } from './installation.ts'
import { openInstallation } from './installation.ts'
import { COMPILE_CACHE } from './postgres/paths.ts'
import { sendToServe } from './role-message.ts'

/** If a role has not stopped this long after DRAIN_TIMEOUT, the role kills itself (operator.stop.1). */
const STOP_MARGIN_MS = 4_000
/** How long the process waits for its last log lines, which are written asynchronously. */
const LOG_FLUSH_MS = 500

/** A running role. `drained` resolves after an operator has drained the role and its jobs have ended. */
export type Role = { stop: () => Promise<void>; drained?: Promise<void>; workerId?: string }

/** Runs a role until SIGTERM or SIGINT, and lets it finish its work. A second signal kills the role. */
export async function runRole(
  name: 'api' | 'worker',
  start: (config: ServiceConfig, log: Logger) => Promise<Role & { address?: string }>,
  stopMarginMs: number = STOP_MARGIN_MS,
): Promise<void> {
  endWithServe()
  // No work runs during the start, so a signal ends this process and its children.
  let onSignal: () => void = () => process.exit(0)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => onSignal())
  // `serve` has already enabled this cache. A role that runs alone enables it for itself and its engine processes.
  enableCompileCache(COMPILE_CACHE)
  const config = readConfig(environment(), name)
  const log = createLog(config.logLevel, name)
  if (process.send === undefined) for (const line of misspeltSettings()) log.warn(line)
  clearEnvironment(name)
  await using installation = await openInstallation(config, (line) => log.warn(line))
  const prepared = await prepareRole(installation.config, log, healthPortOf(name, installation.config))
  const role = await start(prepared, log)
  const stopRequest = Promise.withResolvers<void>()
  onSignal = stopRequest.resolve
  await sendToServe(role.address === undefined ? { type: 'ready' } : { type: 'ready', address: role.address })
  log.info({ address: role.address, worker_id: role.workerId, ...programVersion() }, `${name} is ready`)
  flushCompileCache()
  const stopping = new AbortController()
  collectWhenIdle(stopping.signal)
  void migrateInBackground(prepared, log, stopping.signal)
  await Promise.race([stopRequest.promise, role.drained ?? stopRequest.promise])
  stopping.abort()
  log.info(`${name} is stopping`)
  const stopDeadlineMs = config.drainTimeoutMs + stopMarginMs
  const late = setTimeout(() => {
    log.error(`${name} did not stop within ${stopDeadlineMs / 1000} s; killing it. Other processes take over its jobs`)
    setTimeout(endNow, LOG_FLUSH_MS)
  }, stopDeadlineMs)
  await role.stop()
  clearTimeout(late)
  log.info(`${name} has stopped`)
}

function healthPortOf(name: 'api' | 'worker', { port, metricsPort }: ServiceConfig): HealthPort | undefined {
  if (name === 'api') return { setting: 'PORT', port }
  return metricsPort === undefined ? undefined : { setting: 'METRICS_PORT', port: metricsPort }
}

function endWithServe(): void {
  process.once('disconnect', endNow)
  if (process.send !== undefined && !process.connected) endNow()
}

/** Kills this process. With `process.exit`, the process can hang and ignore SIGTERM (nodejs/node#54918). */
const endNow = () => process.kill(process.pid, 'SIGKILL')

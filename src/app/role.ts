import { enableCompileCache, flushCompileCache } from 'node:module'
import { readConfig } from '../config.ts'
import { COMPILE_CACHE } from '../db/embedded-paths.ts'
import { createLog, type Logger } from '../log.ts'
import { prepareDatabase } from './database.ts'
import { type HomeConfig, openHome } from './home.ts'
import { tell } from './role-message.ts'

/** A role that runs until it is stopped. */
export type Role = { stop: () => Promise<void> }

/**
 * Runs one role in this process until SIGTERM or SIGINT, which let its work finish. Throws what kept it from starting.
 *
 * A role whose `serve` was killed ends at once: its database goes down as well, and its requests are taken over.
 */
export async function runRole(
  name: 'api' | 'worker',
  start: (config: HomeConfig, log: Logger) => Promise<Role & { address?: string }>,
): Promise<void> {
  process.once('disconnect', () => process.exit(1))
  // Under `serve` it is on from the start; alone, this process keeps one for its engines.
  enableCompileCache(COMPILE_CACHE)
  const config = readConfig()
  const log = createLog(config.logLevel, name)
  await using home = await openHome(config, (line) => log.warn(line))
  const prepared = await prepareDatabase(home.config)
  const told = untilTold()
  const role = await start(prepared, log)
  await tell(role.address === undefined ? { type: 'ready' } : { type: 'ready', address: role.address })
  log.info({ address: role.address }, `${name} is ready`)
  flushCompileCache()
  await told
  log.info(`${name} is stopping`)
  await role.stop()
  log.info(`${name} has stopped`)
}

function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}

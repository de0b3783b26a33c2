import { randomUUID } from 'node:crypto'
import type { Logger } from '../telemetry/log.ts'
import { startMaintenanceLoop } from '../worker/maintenance-loop.ts'
import type { ServiceConfig } from './installation.ts'
import { openRegistry } from './metrics.ts'
import type { Role } from './role.ts'
import { openWorkerBase } from './worker-base.ts'

/** Starts a worker for webhooks and cleanup only (`WORKER_CONCURRENCY=0`), so that all other workers can be stopped. */
export async function startMaintenance(config: ServiceConfig, log: Logger): Promise<Role> {
  await using stack = new AsyncDisposableStack()
  const base = await openWorkerBase(config, { stack, registry: openRegistry(), connections: 3, log })
  const { sql, signal } = base
  const drained = Promise.withResolvers<void>()
  const { retentionMs } = config
  const id = randomUUID()
  const loop = await startMaintenanceLoop({ id, sql, retentionMs, log, signal, onDrain: drained.resolve })
  stack.defer(() => loop.stop())
  return await base.run(id, drained.promise)
}

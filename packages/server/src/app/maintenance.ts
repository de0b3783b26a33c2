import { randomUUID } from 'node:crypto'
import type { Logger } from '../telemetry/log.ts'
import { startRequestLoop } from '../worker/request-loop.ts'
import type { ServiceConfig } from './installation.ts'
import { openRegistry } from './metrics.ts'
import type { Role } from './role.ts'
import { openWorkerBase } from './worker-base.ts'

/** Starts a worker for webhooks and cleanup only (`WORKER_CONCURRENCY=0`), so that all other workers can be stopped. */
export async function startMaintenance(config: ServiceConfig, log: Logger): Promise<Role> {
  await using stack = new AsyncDisposableStack()
  const base = await openWorkerBase(config, { stack, registry: openRegistry(), connections: 3, log })
  const drained = Promise.withResolvers<void>()
  const id = randomUUID()
  const loop = await startRequestLoop({
    id,
    sql: base.sql,
    notices: undefined,
    lanes: [],
    retentionMs: config.retentionMs,
    work: () => Promise.reject(new Error('a maintenance worker has no lanes')),
    onDrain: drained.resolve,
    log,
  })
  stack.defer(() => loop.stop(0))
  return await base.run(id, drained.promise)
}

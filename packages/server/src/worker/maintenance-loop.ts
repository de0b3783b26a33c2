import { hostname } from 'node:os'
import { versionText } from '../lib/program-version.ts'
import { every } from '../lib/time/every.ts'
import { logErrors } from '../queue/log-errors.ts'
import { announce, checkForWork, renew, requeueAll } from '../requests/claim.ts'
import { createDatabaseUptime } from './database-uptime.ts'
import type { RequestLoopOptions } from './request-loop.ts'
import { CHECK_MS, takeOverLost } from './request-loop.ts'

type MaintenanceLoopOptions = Pick<RequestLoopOptions, 'sql' | 'retentionMs' | 'log'> & {
  id: string
  signal: AbortSignal
  /** Called when an operator drains this worker. Called again at each check until the worker stops. */
  onDrain: () => void
}

/** Starts a loop that requeues lost workers' requests. If no worker is left, an autoscaler sees the queued requests. */
export async function startMaintenanceLoop(options: MaintenanceLoopOptions): Promise<{ stop: () => Promise<void> }> {
  const { id, sql, log, onDrain } = options
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const worker = { id, host: hostname(), pid: process.pid, role: 'maintenance', version: versionText() } as const
  const uptime = createDatabaseUptime(performance.now())
  await announce(sql, worker)
  const check = logErrors(log, 'checking for lost requests', async () => {
    await renew(sql, worker, [])
    uptime.touch(performance.now())
    const found = await checkForWork(sql, worker.id, [], [])
    uptime.touch(performance.now())
    if (found.isDraining) onDrain()
    if (found.isLost && uptime.isSteady(performance.now())) await takeOverLost(options)
  })
  let checking = Promise.resolve()
  every(CHECK_MS, signal, async () => {
    checking = check()
    await checking
  })
  return {
    async stop() {
      stopping.abort()
      // A check that is still running would register this worker again.
      await checking
      await logErrors(log, 'removing the worker', () => requeueAll(sql, worker.id))()
    },
  }
}

import type { FastifyInstance } from 'fastify'
import { programVersion } from '../../lib/program-version.ts'

export type Checks = Record<'database' | 'store' | 'disk', () => Promise<boolean>>

type Health = { checks: Checks; isStopping?: () => boolean }

export async function runChecks(checks: Checks): Promise<Record<keyof Checks, boolean>> {
  const [database, store, disk] = await Promise.all([checks.database(), checks.store(), checks.disk()])
  return { database, store, disk }
}

/** Serves the health checks. While the server is stopping, `/readyz` returns 503, so proxies stop sending calls. */
export function serveHealth(app: FastifyInstance, { checks, isStopping = () => false }: Health): void {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_call, reply) => {
    const found = await runChecks(checks)
    const isReady = Object.values(found).every((isUp) => isUp)
    reply.code(isReady && !isStopping() ? 200 : 503)
    const status = isStopping() ? 'stopping' : isReady ? 'ok' : 'unavailable'
    return { status, checks: found, ...programVersion() }
  })
}

import type { FastifyInstance } from 'fastify'
import { programVersion } from '../../lib/program-version.ts'

export type Checks = Record<'database' | 'store' | 'disk', () => Promise<boolean>>

type Health = { checks: Checks; isStopping?: () => boolean }

/** Serves the health checks. While the server is stopping, `/readyz` returns 503, so proxies stop sending calls. */
export function serveHealth(app: FastifyInstance, { checks, isStopping = () => false }: Health): void {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_call, reply) => {
    const names = ['database', 'store', 'disk'] as const
    const found = await Promise.all(names.map(async (name) => [name, await checks[name]()] as const))
    const isReady = found.every(([, isThere]) => isThere)
    reply.code(isReady && !isStopping() ? 200 : 503)
    const status = isStopping() ? 'stopping' : isReady ? 'ok' : 'unavailable'
    return { status, checks: Object.fromEntries(found), ...programVersion() }
  })
}

import type { FastifyInstance } from 'fastify'
import { programVersion } from '../../lib/program-version.ts'

export type Checks = Record<'database' | 'store' | 'disk', () => Promise<boolean>>

export function serveHealth(app: FastifyInstance, { checks }: { checks: Checks }): void {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_call, reply) => {
    const names = ['database', 'store', 'disk'] as const
    const found = await Promise.all(names.map(async (name) => [name, await checks[name]()] as const))
    const isReady = found.every(([, isThere]) => isThere)
    reply.code(isReady ? 200 : 503)
    return { status: isReady ? 'ok' : 'unavailable', checks: Object.fromEntries(found), ...programVersion() }
  })
}

import type { FastifyInstance } from 'fastify'
import { isReachable } from '../accounts/health.ts'
import type { Door } from './door.ts'

/** Whether this process lives, and whether it can do its work: for whatever supervises it; no key needed. */
export function serveHealth(app: FastifyInstance, door: Pick<Door, 'sql'>): void {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_call, reply) => {
    const database = await isReachable(door.sql)
    reply.code(database ? 200 : 503)
    return { status: database ? 'ok' : 'unavailable', checks: { database } }
  })
}

import type { FastifyInstance } from 'fastify'
import type { Door } from '../door.ts'
import { wantsPage } from '../error-page.ts'
import { notFound } from '../errors.ts'
import { countUnknown } from '../hooks/authenticate.ts'

/**
 * Redirects browsers from the root to the console, or to the documentation without a console. Other clients get 404
 * (api.paths.3).
 */
export function serveFrontDoor(app: FastifyInstance, door: Door): void {
  const base = new URL(door.links.baseUrl).pathname.replace(/\/$/, '')
  const pages = door.console === undefined ? `${base}/docs` : `${base}/console/`
  app.get('/', async (call, reply) => {
    reply.header('vary', 'Accept')
    if (wantsPage(call)) return await reply.redirect(pages)
    await countUnknown(door, call, reply)
    throw notFound()
  })
}

import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../api-context.ts'
import { basePathOf } from '../base-path.ts'
import { wantsPage } from '../error-page.ts'
import { notFound } from '../errors.ts'
import { countUnknown } from '../hooks/authenticate.ts'

export function serveRoot(app: FastifyInstance, api: ApiContext): void {
  const base = basePathOf(api.links.baseUrl)
  const pages = api.console === undefined ? `${base}/docs` : `${base}/console/`
  app.get('/', async (call, reply) => {
    reply.header('vary', 'Accept')
    if (wantsPage(call)) return await reply.redirect(pages)
    await countUnknown(api, call, reply)
    throw notFound()
  })
}

import { getPreview } from '@mediamill/contract/console/activity'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import type { FastifyInstance } from 'fastify'
import { toRequest } from '../../../requests/record.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import type { Previews } from '../../previews.ts'
import { serveRoute } from '../../serve-route.ts'

/** How long a browser caches a preview, or its absence. */
const FRESH_SECONDS = 300

/** Serves the preview of a result (console.previews.1). */
export function servePreview(app: FastifyInstance, api: Pick<ApiContext, 'store'>, previews: Previews): void {
  serveRoute(app, getPreview, async ({ caller }, reply) => {
    if (caller.wanted === undefined) throw notFound()
    // A worker may have to render it first.
    reply.isLongCall = true
    const shown = await previews.find(toRequest(caller.wanted))
    const opened = shown && (await api.store.open(shown.key))
    reply.header('cache-control', `private, max-age=${FRESH_SECONDS}`)
    if (shown === undefined || opened === undefined) return await reply.code(204).send()
    reply.headers({
      'content-type': CONTENT_TYPES[shown.format],
      'content-length': opened.size,
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    return await reply.send(opened.body)
  })
}

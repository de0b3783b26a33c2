import { Readable } from 'node:stream'
import { getPreview, getSource, getUploadContent } from '@mediamill/contract/console/activity'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import { uploadIdOf } from '@mediamill/contract/domain/uploads'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findInScope } from '../../../requests/find.ts'
import { openUpload } from '../../../uploads/open-upload.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import type { Previews } from '../../previews.ts'
import { serveRoute } from '../../serve-route.ts'
import { FILE_POLICY } from '../results.ts'

const FRESH_SECONDS = 300

/** Serves uploaded sources (console.uploads.1) and previews of results (console.previews.1). */
export function serveFiles(app: FastifyInstance, { sql, store }: ApiContext, previews: Previews): void {
  serveRoute(app, getSource, async ({ caller, params }, reply) => {
    const request = await findInScope(sql, caller, params['id'])
    const source = request && (await openUpload(sql, store, request, uploadIdOf(request.source) ?? ''))
    if (source === undefined) throw notFound()
    return await show(reply, source.contentType, source.size, Readable.from(source.body))
  })
  serveRoute(app, getUploadContent, async ({ caller: { account, livemode }, params }, reply) => {
    const upload = await openUpload(sql, store, { accountId: account.id, livemode }, params['id'] ?? '')
    if (upload === undefined) throw notFound()
    return await show(reply, upload.contentType, upload.size, Readable.from(upload.body))
  })
  serveRoute(app, getPreview, async ({ caller, params }, reply) => {
    const request = await findInScope(sql, caller, params['id'])
    if (request === undefined) throw notFound()
    // A worker may have to render the preview first.
    reply.isLongCall = true
    const shown = await previews.find(request)
    const opened = shown && (await store.open(shown.key))
    reply.header('cache-control', `private, max-age=${FRESH_SECONDS}`)
    if (shown === undefined || opened === undefined) return await reply.code(204).send()
    return await show(reply, CONTENT_TYPES[shown.format], opened.size, opened.body)
  })
}

async function show(reply: FastifyReply, contentType: string, size: number, body: Readable): Promise<FastifyReply> {
  reply.headers({
    'content-type': contentType,
    'content-length': size,
    'content-disposition': 'inline',
    'content-security-policy': FILE_POLICY,
  })
  return await reply.send(body)
}

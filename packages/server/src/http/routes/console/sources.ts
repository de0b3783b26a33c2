import { Readable } from 'node:stream'
import { getSource, getUploadContent } from '@mediamill/contract/console/activity'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { OpenSource } from '../../../uploads/open-source.ts'
import { openSource, openUpload } from '../../../uploads/open-source.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { serveRoute } from '../../serve-route.ts'

/** Serves uploads of an account to its pages, by request or by id (console.uploads.1). */
export function serveSources(app: FastifyInstance, { sql, store }: ApiContext): void {
  serveRoute(app, getSource, async ({ caller }, reply) => {
    const source = caller.wanted && (await openSource(sql, store, caller.wanted))
    return await show(reply, source)
  })
  serveRoute(app, getUploadContent, async ({ caller: { account, livemode }, params }, reply) => {
    const upload = await openUpload(sql, store, { accountId: account.id, livemode }, params['id'] ?? '')
    return await show(reply, upload)
  })
}

async function show(reply: FastifyReply, source: OpenSource | undefined): Promise<FastifyReply> {
  if (source === undefined) throw notFound()
  reply.headers({
    'content-type': source.contentType,
    'content-length': source.size,
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  return await reply.send(Readable.from(source.body))
}

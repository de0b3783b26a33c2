import { getThumbnail } from '@mediamill/contract/console/activity'
import { shownFor } from '@mediamill/contract/domain/drawn/thumbnail'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import type { ResultFile } from '@mediamill/contract/domain/request'
import type { FastifyInstance } from 'fastify'
import type { Door } from '../../door.ts'
import { notFound } from '../../errors.ts'
import { serveConsoleRoute } from './serve-console-route.ts'

/** So long a browser may show it without asking again. */
const FRESH_SECONDS = 300

/** Serves what stands for a result in lists. It is its thumbnail, or a small picture itself (rulings 20). */
export function serveThumbnail(app: FastifyInstance, door: Door, isOn: boolean): void {
  serveConsoleRoute(app, getThumbnail, async ({ caller }, reply) => {
    if (caller.wanted === undefined) throw notFound()
    const shown = isOn ? shownOf(caller.wanted) : undefined
    const opened = shown && (await door.store.open(shown.key))
    if (shown === undefined || opened === undefined) return await reply.code(204).send()
    reply.headers({
      'content-type': CONTENT_TYPES[shown.format],
      'content-length': opened.size,
      'content-disposition': 'inline',
      'cache-control': `private, max-age=${FRESH_SECONDS}`,
      // wall: a thumbnail that runs in a page
      'content-security-policy': "default-src 'none'; sandbox",
    })
    return await reply.send(opened.body)
  })
}

type Wanted = { files: ResultFile[] | null; deletedAt: Date | null }

function shownOf({ files, deletedAt }: Wanted) {
  const [file] = files ?? []
  // wall: a thumbnail of files that were deleted
  if (deletedAt === null || deletedAt.getTime() <= Date.now()) return undefined
  return file && shownFor(file)
}

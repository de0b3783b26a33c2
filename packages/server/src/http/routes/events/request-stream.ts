import { MAX_STREAM_SECONDS } from '@mediamill/contract/domain/limits'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import { streamRequest } from '@mediamill/contract/routes/requests'
import type { FastifyInstance } from 'fastify'
import { FINAL_VERSION, versionOf } from '../../../requests/events/version.ts'
import { findInScope, requestNotFound } from '../../../requests/find.ts'
import { present } from '../../../requests/present.ts'
import type { ApiContext } from '../../api-context.ts'
import type { LongPolls } from '../../long-polls.ts'
import { fastifyPath } from '../../serve-route.ts'
import { EventStream, PING_MS } from './event-stream.ts'
import { followRequest, sendState } from './follow-request.ts'

/** How long a client waits before it reconnects. The second value applies if no slot was free. */
const RETRY_MS = 3_000
const RETRY_LATER_MS = 15_000

/** Sends the states of one request as server-sent events, until the final state (streams.events.1). */
export function serveRequestStream(app: FastifyInstance, api: ApiContext, longPolls: LongPolls): void {
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: fastifyPath(streamRequest.path),
    exposeHeadRoute: false,
    handler: async (call, reply) => {
      const { caller } = call
      const request = await findInScope(api.sql, caller, call.params.id)
      if (request === undefined) throw requestNotFound()
      const show = (one: MediaRequest) => present(one, api.links)
      const lastVersion = versionIn(call.headers['last-event-id'])
      if (versionOf(show(request)) === FINAL_VERSION && lastVersion >= FINAL_VERSION)
        return await reply.code(204).send()
      let isOpen = false
      await longPolls.hold({ caller, reply }, MAX_STREAM_SECONDS, async (signal) => {
        isOpen = true
        using stream = new EventStream(reply)
        await stream.retryAfter(RETRY_MS)
        return await followRequest(stream, request, lastVersion, {
          watch: api.streamWatch,
          show,
          pingMs: PING_MS,
          signal,
        })
      })
      if (isOpen || reply.raw.destroyed) return reply
      // No slot for long polls is free: send the current state and close.
      using stream = new EventStream(reply)
      await stream.retryAfter(RETRY_LATER_MS)
      await sendState(stream, show(request), lastVersion)
      return reply
    },
  })
}

/** Matches the version of a request: 0 to 101, without leading zeros. */
const VERSION = /^(?:\d|[1-9]\d|10[01])$/

function versionIn(lastEventId: string | string[] | undefined): number {
  return typeof lastEventId === 'string' && VERSION.test(lastEventId) ? Number(lastEventId) : -1
}

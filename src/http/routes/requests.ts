import type { FastifyInstance } from 'fastify'
import { abortRequest } from '../../contract/routes/abort-request.ts'
import { getRequest } from '../../contract/routes/get-request.ts'
import { listRequests } from '../../contract/routes/list-requests.ts'
import type { RequestId } from '../../domain/ids.ts'
import { parseId } from '../../domain/ids.ts'
import { abort } from '../../requests/abort.ts'
import { endOf } from '../../requests/end-line.ts'
import { listPage, requestNotFound } from '../../requests/find.ts'
import { present } from '../../requests/present.ts'
import { toRequest } from '../../requests/record.ts'
import { awaitEnd } from '../await-end.ts'
import type { Door } from '../door.ts'
import type { HeldCalls } from '../held-calls.ts'
import { waitSecondsOf } from '../prefer.ts'
import { serveRoute } from '../serve-route.ts'

/** Spec 4.3: an account's requests, one at a time, in pages, and aborted. */
export function serveRequests(app: FastifyInstance, door: Door, held: HeldCalls): void {
  serveRoute(app, listRequests, async (call) => {
    const { limit, before = null } = call.query
    const page = await listPage(door.sql, call.caller.account.id, { limit, before })
    return {
      object: 'list' as const,
      data: page.requests.map((request) => present(request, door.links)),
      has_more: page.hasMore,
    }
  })

  serveRoute(app, getRequest, async (call, reply) => {
    const { caller } = call
    if (caller.wanted === undefined) throw requestNotFound()
    const seconds = waitSecondsOf(call)
    const shown = await awaitEnd(door, held, { caller, reply, seconds }, toRequest(caller.wanted), false)
    return present(shown, door.links)
  })

  // The body of an abort is ignored, whatever it is (rulings 14).
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_call, payload, done) => {
      payload.resume()
      done(null)
    })
    serveRoute(scope, abortRequest, async (call) => {
      const aborted = await abort(door.sql, call.caller.account.id, idOf(call.params))
      await door.durable(aborted)
      door.nudgeDeliveries()
      call.log.info(...endOf(aborted))
      return present(aborted, door.links)
    })
  })
}

function idOf(params: Record<string, string>): RequestId {
  const id = parseId<RequestId>(params['id'] ?? '')
  if (id === undefined) throw requestNotFound()
  return id
}

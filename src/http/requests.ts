import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestId } from '../domain/ids.ts'
import { parseId } from '../domain/ids.ts'
import { abort } from '../requests/abort.ts'
import { endOf } from '../requests/end-line.ts'
import { listPage, requestNotFound } from '../requests/find.ts'
import { present } from '../requests/present.ts'
import { toRequest } from '../requests/record.ts'
import type { Door } from './door.ts'
import { integerQuery, validQuery } from './query.ts'

type WithId = { Params: { id: string } }

/** Spec 4.3: an account's requests, one at a time, in pages, and aborted. */
export function serveRequests(app: FastifyInstance, door: Door): void {
  app.get('/v1/requests', async (call) => {
    const { limit = 20, before = null } = validQuery({
      limit: integerQuery(call, 'limit', { minimum: 1, maximum: 100 }),
      before: integerQuery(call, 'before'),
    })
    const page = await listPage(door.sql, call.caller.account.id, { limit, before })
    return {
      object: 'list',
      data: page.requests.map((request) => present(request, door.links)),
      has_more: page.hasMore,
    }
  })

  app.get<WithId>('/v1/requests/:id', async (call) => {
    const { wanted } = call.caller
    if (wanted === undefined) throw requestNotFound()
    return present(toRequest(wanted), door.links)
  })

  // The body of an abort is ignored, whatever it is (rulings 14).
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_call, payload, done) => {
      payload.resume()
      done(null)
    })
    scope.post<WithId>('/v1/requests/:id/abort', async (call) => {
      const aborted = await abort(door.sql, call.caller.account.id, idOf(call))
      await door.durable(aborted)
      door.nudgeDeliveries()
      call.log.info(...endOf(aborted))
      return present(aborted, door.links)
    })
  })
}

function idOf(call: FastifyRequest<WithId>): RequestId {
  const id = parseId<RequestId>(call.params.id)
  if (id === undefined) throw requestNotFound()
  return id
}

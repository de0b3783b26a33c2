import { spanOf } from '@mediamill/contract/lib/moment'
import {
  abortRequest,
  deleteFiles as deleteFilesRoute,
  getRequest,
  listRequests,
} from '@mediamill/contract/routes/requests'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import { abort } from '../../requests/abort.ts'
import { deleteFiles } from '../../requests/delete-files.ts'
import { endOf } from '../../requests/events/end-line.ts'
import { findInScope, listRequestPage, requestNotFound } from '../../requests/find.ts'
import { present } from '../../requests/present.ts'
import type { ApiContext } from '../api-context.ts'
import type { LongPolls } from '../long-polls.ts'
import { waitSecondsOf } from '../prefer.ts'
import { serveRoute } from '../serve-route.ts'
import { waitForCompletion } from '../wait-for-completion.ts'

export function serveRequests(app: FastifyInstance, api: ApiContext, longPolls: LongPolls): void {
  serveRoute(app, listRequests, async (call) => {
    const { limit, before = null, created_from: from, created_to: to, ...others } = call.query
    const filter = {
      ...others,
      ...(from !== undefined && { createdFrom: spanOf(from)?.from }),
      ...(to !== undefined && { createdBefore: spanOf(to)?.until }),
    }
    const { account, onlyLivemode } = call.caller
    if (onlyLivemode !== null && (filter.livemode ?? onlyLivemode) !== onlyLivemode) {
      return { object: 'list' as const, data: [], has_more: false }
    }
    const ofMode = onlyLivemode === null ? filter : { ...filter, livemode: onlyLivemode }
    const page = await listRequestPage(api.sql, account.id, { limit, before }, ofMode)
    return {
      object: 'list' as const,
      data: page.requests.map((request) => present(request, api.links)),
      has_more: page.hasMore,
    }
  })

  serveRoute(app, getRequest, async (call, reply) => {
    const request = await requestOf(api, call)
    const waiting = { caller: call.caller, reply, seconds: waitSecondsOf(call) }
    return present(await waitForCompletion(api, longPolls, waiting, request), api.links)
  })

  // The routes in this scope ignore the body of a call (requests.abort.4).
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_call, payload, done) => {
      payload.resume()
      done(null)
    })
    serveRoute(scope, abortRequest, async (call) => {
      const { id } = await requestOf(api, call)
      const aborted = await abort(api.sql, call.caller.account.id, id)
      await api.durable(aborted)
      api.wakeDeliveries()
      call.log.child({ request_id: aborted.id }).info(...endOf(aborted))
      return present(aborted, api.links)
    })
    serveRoute(scope, deleteFilesRoute, async (call) => {
      const { id } = await requestOf(api, call)
      const { request, stuck } = await deleteFiles(api.sql, call.caller.account.id, id, api.store.delete)
      if (stuck !== undefined)
        call.log.warn({ err: stuck, request_id: request.id }, 'files not deleted; a worker deletes them later')
      await api.durable(request)
      return present(request, api.links)
    })
  })
}

/** Returns the request whose id is in the path. Throws `request_not_found` if the caller cannot read it. */
async function requestOf({ sql }: ApiContext, { params, caller }: { params: Record<string, string>; caller: Caller }) {
  const request = await findInScope(sql, caller, params['id'])
  if (request === undefined) throw requestNotFound(params['id'])
  return request
}

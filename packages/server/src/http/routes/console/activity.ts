import * as routes from '@mediamill/contract/console/activity'
import { microUsd, toMoney } from '@mediamill/contract/domain/money'
import type { FastifyInstance } from 'fastify'
import { audited } from '../../../accounts/audit.ts'
import type { Caller } from '../../../accounts/authenticate.ts'
import { overviewOf } from '../../../accounts/console/overview.ts'
import { presentAttempt, presentDelivery } from '../../../requests/events/present-delivery.ts'
import { listPage } from '../../../requests/find.ts'
import { present } from '../../../requests/present.ts'
import type { EventRow } from '../../../webhooks/list.ts'
import { eventOf, eventPage } from '../../../webhooks/list.ts'
import { resendOwn } from '../../../webhooks/resend.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import type { Previews } from '../../previews.ts'
import { serveRoute } from '../../serve-route.ts'
import { authorOf } from './console-context.ts'
import { serveFiles } from './files.ts'

const RECENT = 8

export function serveActivity(app: FastifyInstance, api: ApiContext, previews: Previews): void {
  serveRoute(app, routes.getOverview, async ({ caller }) => {
    const { account, held, available, onlyLivemode } = caller
    const [overview, { requests }] = await Promise.all([
      overviewOf(api.sql, account.id, onlyLivemode),
      listPage(
        api.sql,
        account.id,
        { before: null, limit: RECENT },
        onlyLivemode === null ? {} : { livemode: onlyLivemode },
      ),
    ])
    const { keyUsed, firstRequest } = overview.steps
    return {
      credit: { balance: toMoney(account.balance), held: toMoney(held), available: toMoney(available) },
      days: overview.days.map(({ date, requests: count, spent }) => ({
        date,
        requests: count,
        amount: toMoney(microUsd(spent)),
      })),
      failures: overview.failures,
      recent: requests.map((request) => present(request, api.links)),
      steps: { key_used: keyUsed, first_request: firstRequest, webhook_set: account.webhookUrl !== null },
    }
  })
  serveFiles(app, api, previews)
  serveEvents(app, api)
}

function serveEvents(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, routes.listEvents, async ({ caller, query }) => {
    const { status = null, request_id: requestId = null, after = null, limit } = query
    const { rows, hasMore } = await eventPage(api.sql, {
      accountId: caller.account.id,
      status,
      requestId,
      livemode: caller.onlyLivemode,
      after,
      limit,
    })
    return { object: 'list' as const, data: rows.map(presentEvent), has_more: hasMore }
  })
  serveRoute(app, routes.getEvent, async ({ caller, params }) => {
    const found = await eventOf(api.sql, scopeOf(caller), params['id'] ?? '')
    if (found === undefined) throw notFound()
    return { ...presentEvent(found.row), deliveries: found.attempts.map(presentAttempt), body: found.body }
  })
  serveRoute(app, routes.resendEvent, async (call, reply) => {
    const { id: accountId } = call.caller.account
    const id = call.params['id'] ?? ''
    const change = { accountId, action: 'event.resent', subject: id }
    const row = await audited(api.sql, authorOf(call), change, (tx) => resendOwn(tx, scopeOf(call.caller), id))
    reply.code(202)
    return presentEvent(row)
  })
}

const scopeOf = ({ account, onlyLivemode }: Caller) => ({ accountId: account.id, livemode: onlyLivemode })

export const presentEvent = (row: EventRow) => ({ object: 'event' as const, ...presentDelivery(row) })

import * as routes from '@mediamill/contract/console/activity'
import { microUsd, toMoney } from '@mediamill/contract/domain/money'
import { daysFrom } from '@mediamill/contract/lib/moment'
import type { FastifyInstance } from 'fastify'
import { audited } from '../../../accounts/audit.ts'
import type { Caller } from '../../../accounts/authenticate.ts'
import { lastDays } from '../../../accounts/usage.ts'
import { countFailures, firstSteps } from '../../../db/accounts/overview.ts'
import type { UsageRow } from '../../../db/accounts/usage.ts'
import { sumUsage } from '../../../db/accounts/usage.ts'
import type { EventRow } from '../../../db/events/event-log.ts'
import { listAttempts, listEventPage } from '../../../db/events/event-log.ts'
import { presentAttempt, presentDelivery } from '../../../requests/events/present-delivery.ts'
import { listRequestPage } from '../../../requests/find.ts'
import { present } from '../../../requests/present.ts'
import { findOwnEvent, resendOwn } from '../../../webhooks/resend.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { listPage } from '../../list-page.ts'
import type { Previews } from '../../previews.ts'
import { serveRoute } from '../../serve-route.ts'
import { authorOf } from './console-context.ts'
import { serveFiles } from './files.ts'

const RECENT = 8

export function serveActivity(app: FastifyInstance, api: ApiContext, previews: Previews): void {
  serveRoute(app, routes.getOverview, async ({ caller }) => {
    const { account, held, available, onlyLivemode } = caller
    const { id: accountId } = account
    const range = lastDays(new Date())
    const modes = onlyLivemode === null ? [true, false] : [onlyLivemode]
    const filter = onlyLivemode === null ? {} : { livemode: onlyLivemode }
    const [usage, failures, steps, { requests }] = await Promise.all([
      Promise.all(
        modes.map((livemode) => sumUsage(api.sql, { accountId, livemode, ...range, groupBy: 'day', customer: null })),
      ),
      countFailures(api.sql, accountId, onlyLivemode),
      firstSteps(api.sql, accountId, onlyLivemode),
      listRequestPage(api.sql, accountId, { before: null, limit: RECENT }, filter),
    ])
    return {
      credit: { balance: toMoney(account.balance), held: toMoney(held), available: toMoney(available) },
      days: withEmptyDays(range, usage.flat()),
      failures,
      recent: requests.map((request) => present(request, api.links)),
      steps: {
        key_used: steps.keyUsed,
        first_request: steps.firstRequest,
        webhook_set: account.webhookUrl !== null,
      },
    }
  })
  serveFiles(app, api, previews)
  serveEvents(app, api)
}

function withEmptyDays({ from, to }: { from: string; to: string }, rows: readonly UsageRow[]) {
  const ofDay = Map.groupBy(rows, ({ key }) => key)
  return daysFrom(from, to).map((date) => {
    const own = ofDay.get(date) ?? []
    return {
      date,
      requests: own.reduce((sum, row) => sum + row.requests, 0),
      amount: toMoney(microUsd(own.reduce((sum, row) => sum + row.spent, 0))),
    }
  })
}

function serveEvents(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, routes.listEvents, async ({ caller, query }) => {
    const { status = null, request_id: requestId = null, after = null, limit } = query
    const filter = { ...scopeOf(caller), status, requestId, after }
    const read = (count: number) => listEventPage(api.sql, { ...filter, limit: count })
    return { object: 'list' as const, ...(await listPage(limit, read, presentEvent)) }
  })

  serveRoute(app, routes.getEvent, async ({ caller, params }) => {
    const row = await findOwnEvent(api.sql, scopeOf(caller), params['id'] ?? '')
    if (row === undefined) throw notFound()
    const deliveries = (await listAttempts(api.sql, row.id)).map(presentAttempt)
    return { ...presentEvent(row), deliveries, body: row.body === null ? null : JSON.parse(row.body.toString()) }
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

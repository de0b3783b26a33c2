import * as routes from '@mediamill/contract/console/operator-service'
import { microUsd, toMoney } from '@mediamill/contract/domain/money'
import { LANES } from '@mediamill/contract/domain/request'
import type { FastifyInstance } from 'fastify'
import { audited } from '../../../accounts/audit.ts'
import { verifyLedger } from '../../../accounts/ledger-audit.ts'
import { findAccount } from '../../../db/accounts/accounts.ts'
import type { LedgerRow } from '../../../db/accounts/ledger.ts'
import { listMovements, sumRevenue } from '../../../db/accounts/ledger.ts'
import { listUndelivered } from '../../../db/events/event-log.ts'
import { countEvents, countLanes } from '../../../db/metrics.ts'
import type { QueuedRow } from '../../../db/queue.ts'
import { listFront, listRunning } from '../../../db/queue.ts'
import { countSegments } from '../../../db/segments/count-segments.ts'
import { listWorkers } from '../../../db/workers.ts'
import { resendAll } from '../../../webhooks/resend.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { listPage } from '../../list-page.ts'
import { serveRoute } from '../../serve-route.ts'
import { runChecks } from '../health.ts'
import { presentEvent } from './activity.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'

export function serveOperatorService(app: FastifyInstance, api: ApiContext, options: ConsoleOptions): void {
  serveBooks(app, api)
  serveQueue(app, api)

  serveRoute(app, routes.listUndelivered, async ({ query }) => {
    const { account: accountId = null, limit } = query
    const read = (count: number) => listUndelivered(api.sql, { accountId, limit: count })
    return { object: 'list' as const, ...(await listPage(limit, read, presentEvent)) }
  })
  serveRoute(app, routes.resendAll, async (call, reply) => {
    const { account: accountId = null } = call.body
    if (accountId !== null && (await findAccount(api.sql, accountId)) === undefined) throw notFound()
    const change = { accountId, action: 'events.resent' }
    reply.code(202)
    return await audited(api.sql, authorOf(call), change, async (tx, complete) => {
      const { resent, left } = await resendAll(tx, accountId)
      complete({ detail: { resent } })
      return { resent, left }
    })
  })

  serveRoute(app, routes.getHealth, async () => {
    const checks = await runChecks(api.checks)
    const [all, lanes, events] = await Promise.all([listWorkers(api.sql), countLanes(api.sql), countEvents(api.sql)])
    const workers = all.filter(({ alive, role }) => alive && role !== 'maintenance')
    return {
      version: options.version,
      ready: Object.values(checks).every((isUp) => isUp),
      checks,
      isolation: {
        setting: options.isolation,
        found: [...new Set(workers.map(({ isolation }) => isolation ?? 'unknown'))],
      },
      workers_alive: workers.length,
      oldest_seconds: Object.fromEntries(lanes.map(({ lane, oldestSeconds }) => [lane, oldestSeconds])),
      events_waiting: events.waiting,
      events_overdue_seconds: events.overdueSeconds,
    }
  })
}

function serveBooks(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, routes.listLedger, async ({ query }) => {
    const { account: accountId = null, after: before = null, limit } = query
    return await listPage(
      limit,
      (count) => listMovements(api.sql, { accountId, before, limit: count }),
      presentMovement,
    )
  })
  serveRoute(app, routes.verifyLedger, async (_call, reply) => {
    // The check can take longer than the call timeout. Each statement still has its own timeout.
    reply.isLongCall = true
    const { differences, mischarged, overdrawn } = await verifyLedger(api.sql)
    const money = (amount: number) => toMoney(microUsd(amount))
    return {
      agrees: differences.length + mischarged.length + overdrawn.length === 0,
      differences,
      mischarged: mischarged.map(({ requestId, price, charged }) => ({
        request: requestId,
        price: money(price),
        charged: money(charged),
      })),
      overdrawn: overdrawn.map(({ accountId, balance }) => ({ account: accountId, balance: money(balance) })),
    }
  })
  serveRoute(app, routes.getRevenue, async ({ query }) => ({
    data: (await sumRevenue(api.sql, query.days)).map(({ revenue, purchases, ...counts }) => ({
      ...counts,
      revenue: toMoney(microUsd(revenue)),
      purchases: toMoney(microUsd(purchases)),
    })),
  }))
}

const presentMovement = (row: LedgerRow) => ({
  id: row.id,
  account: row.accountId,
  kind: row.kind,
  amount: toMoney(microUsd(row.amount)),
  request: row.requestId,
  reference: row.reference,
  created_at: row.createdAt.toISOString(),
})

const MAX_SHOWN = 100
const MAX_WAITING = 10

/** Serves the state of the queue. Uses the same indexes as claims, so that the call stays fast if the queue is long. */
function serveQueue(app: FastifyInstance, { sql }: ApiContext): void {
  serveRoute(app, routes.getQueue, async () => {
    const [lanes, workers, segments, running, requeued, waiting] = await Promise.all([
      countLanes(sql),
      listWorkers(sql),
      countSegments(sql),
      listRunning(sql, MAX_SHOWN),
      listFront(sql, LANES, { triedBefore: true, limit: MAX_SHOWN }),
      listFront(sql, LANES, { triedBefore: false, limit: MAX_WAITING }),
    ])
    const { oldestSeconds, failed: _, ...parts } = segments
    // The first attempt of these requests ended without a result, for example because the worker crashed.
    const retried = [...running.filter(({ attempt }) => attempt > 1), ...requeued]
    return {
      lanes: lanes.map(({ lane, queued, oldestSeconds, processing }) => ({
        lane,
        queued,
        oldest_seconds: oldestSeconds,
        running: processing,
      })),
      workers: workers.map(({ startedAt, seenAt, drainingAt, ...worker }) => ({
        ...worker,
        started_at: startedAt.toISOString(),
        seen_at: seenAt.toISOString(),
        draining_at: drainingAt?.toISOString() ?? null,
      })),
      parts: { ...parts, oldest_seconds: oldestSeconds },
      running: running.map(presentQueued),
      retried: retried.map(presentQueued),
      waiting: waiting.map(presentQueued),
    }
  })
}

const presentQueued = (row: QueuedRow) => ({
  id: row.id,
  account: row.accountId,
  endpoint: row.endpoint,
  lane: row.lane,
  status: row.status,
  attempt: row.attempt,
  progress: row.progress,
  worker: row.workerId,
  created_at: row.createdAt.toISOString(),
  started_at: row.startedAt?.toISOString() ?? null,
  parts: row.partsTotal === 0 ? null : { total: row.partsTotal, made: row.partsMade },
})

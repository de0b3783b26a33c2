import * as routes from '@mediamill/contract/console/operator-service'
import { microUsd, toMoney } from '@mediamill/contract/domain/money'
import type { FastifyInstance } from 'fastify'
import { audited } from '../../../accounts/audit.ts'
import type { QueuedRow } from '../../../accounts/console/queue.ts'
import { healthOf, queueOf } from '../../../accounts/console/queue.ts'
import { verifyLedger } from '../../../accounts/ledger-audit.ts'
import type { LedgerRow } from '../../../accounts/operate.ts'
import { ledgerPage, operatedAccount, revenueOf } from '../../../accounts/operate.ts'
import { resendAll, undeliveredPage } from '../../../webhooks/list.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { serveRoute } from '../../serve-route.ts'
import { presentEvent } from './activity.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'

export function serveOperatorService(app: FastifyInstance, api: ApiContext, options: ConsoleOptions): void {
  serveBooks(app, api)
  serveQueue(app, api)

  serveRoute(app, routes.listUndelivered, async ({ query }) => {
    const { account = null, limit } = query
    const { rows, hasMore } = await undeliveredPage(api.sql, { accountId: account, limit })
    return { object: 'list' as const, data: rows.map(presentEvent), has_more: hasMore }
  })
  serveRoute(app, routes.resendAll, async (call, reply) => {
    const { account: accountId = null } = call.body
    if (accountId !== null && (await operatedAccount(api.sql, accountId)) === undefined) throw notFound()
    const change = { accountId, action: 'events.resent' }
    reply.code(202)
    return await audited(api.sql, authorOf(call), change, async (tx, complete) => {
      const { resent, left } = await resendAll(tx, accountId)
      complete({ detail: { resent } })
      return { resent, left }
    })
  })

  serveRoute(app, routes.getHealth, async () => {
    const names = ['database', 'store', 'disk'] as const
    const checks = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await api.checks[name]()] as const)),
    )
    const { workers, lanes, events } = await healthOf(api.sql)
    return {
      version: options.version,
      ready: names.every((name) => checks[name] === true),
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
    const { account = null, after = null, limit } = query
    const { rows, hasMore } = await ledgerPage(api.sql, account, { before: after, limit })
    return { data: rows.map(presentMovement), has_more: hasMore }
  })
  serveRoute(app, routes.verifyLedger, async (_call, reply) => {
    // With a million requests, the check takes longer than the call timeout. Each statement has its own timeout.
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
    data: (await revenueOf(api.sql, query.days)).map(({ revenue, purchases, ...counts }) => ({
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

function serveQueue(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, routes.getQueue, async () => {
    const { lanes, workers, parts, running, retried, waiting } = await queueOf(api.sql)
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
      parts: {
        videos: parts.videos,
        workers: parts.workers,
        waiting: parts.waiting,
        running: parts.running,
        done: parts.done,
        oldest_seconds: parts.oldestSeconds,
      },
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

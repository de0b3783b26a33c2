import type { OperatedAccountBody } from '@mediamill/contract/console/operator'
import * as routes from '@mediamill/contract/console/operator'
import { limitsOf } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd, parseDollars, toMoney } from '@mediamill/contract/domain/money'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import type { FastifyInstance } from 'fastify'
import { adjustAccount, changeAccount, creditAccount, openAccountFor } from '../../../accounts/operate.ts'
import { presentLimits } from '../../../accounts/present-limits.ts'
import { makeSignInLink } from '../../../accounts/sign-in/links.ts'
import type { AccountChange, AccountRow } from '../../../db/accounts/accounts.ts'
import { findAccount, searchAccounts } from '../../../db/accounts/accounts.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { listPage } from '../../list-page.ts'
import { serveRoute } from '../../serve-route.ts'
import type { ConsoleOptions } from './console-context.ts'
import { authorOf } from './console-context.ts'
import { toConflict } from './payments.ts'
import { idIn } from './settings.ts'

export function serveOperatorAccounts(app: FastifyInstance, api: ApiContext, options: ConsoleOptions): void {
  serveRoute(app, routes.listAccounts, async ({ query }) => {
    const { search, after = null, limit } = query
    const wanted = search?.trim() || null
    const read = (count: number) => searchAccounts(api.sql, { search: wanted, before: after, limit: count })
    return await listPage(limit, read, presentOperated)
  })
  serveRoute(app, routes.getOperatedAccount, async ({ params }) => shown(await findAccount(api.sql, idIn(params))))
  serveRoute(app, routes.createAccount, async (call, reply) => {
    const { name, email = '' } = call.body
    const made = await openAccountFor(api.sql, options.secretKey, authorOf(call), { name, email })
    reply.code(201)
    return {
      account: shown(await findAccount(api.sql, made.id)),
      live_key: made.liveKey,
      test_key: made.testKey,
      webhook_secret: made.webhookSecret,
    }
  })
  serveRoute(app, routes.changeAccount, async (call) => {
    const { limits, ...others } = call.body
    const wanted = { ...others, ...(limits !== undefined && { limits: toOwnLimits(limits) }) }
    return shown(await changeAccount(api.sql, authorOf(call), idIn(call.params), wanted))
  })
  serveMoney(app, api)
  serveRoute(app, routes.linkAccount, async (call, reply) => {
    const { id } = shown(await findAccount(api.sql, idIn(call.params)))
    const target = { kind: 'account', accountId: id } as const
    const { url, expiresAt } = await makeSignInLink(api.sql, api.links.baseUrl, authorOf(call), target)
    reply.code(201)
    return { url, expires_at: expiresAt.toISOString() }
  })
}

function serveMoney(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, routes.creditAccount, async (call, reply) => {
    const { amount, reference } = call.body
    const { id } = shown(await findAccount(api.sql, idIn(call.params)))
    const { account, isBooked } = await creditAccount(api.sql, authorOf(call), id, paid(amount), reference).catch(
      toConflict,
    )
    if (isBooked) reply.code(201)
    return presentOperated(account)
  })
  serveRoute(app, routes.adjustAccount, async (call, reply) => {
    const { amount, reason } = call.body
    const { id } = shown(await findAccount(api.sql, idIn(call.params)))
    const account = await adjustAccount(api.sql, authorOf(call), id, signed(amount), reason).catch(toConflict)
    reply.code(201)
    return presentOperated(account)
  })
}

function paid(text: string): MicroUsd {
  const amount = parseDollars(text.trim())
  if (amount === undefined || amount === 0) throw noAmount('above 0, such as 25.00')
  return amount
}

function signed(text: string): MicroUsd {
  const amount = parseDollars(text.trim().replace(/^[-+]/, ''))
  if (amount === undefined || amount === 0) throw noAmount('of either sign, such as -0.50, and not 0')
  return text.trim().startsWith('-') ? microUsd(Number(amount) * -1) : amount
}

const noAmount = (problem: string) =>
  validationFailed([
    {
      param: 'amount',
      code: 'invalid_value',
      message: `amount must be dollars ${problem}, with at most six decimals.`,
    },
  ])

function shown(row: AccountRow | undefined): OperatedAccountBody {
  if (row === undefined) throw notFound()
  return presentOperated(row)
}

type SentLimits = { [Name in keyof OperatedAccountBody['own_limits']]?: number | null | undefined }

const toOwnLimits = (limits: SentLimits): AccountChange['limits'] => ({
  requestsPerMinute: limits.requests_per_minute,
  concurrentRequests: limits.concurrent_requests,
  maxSourceBytes: limits.max_source_bytes,
})

function presentOperated(row: AccountRow): OperatedAccountBody {
  const balance = microUsd(row.balance)
  const held = microUsd(row.held)
  return {
    object: 'account',
    id: row.id,
    name: row.name,
    email: row.email,
    tier: row.tier,
    balance: toMoney(balance),
    held: toMoney(held),
    available: toMoney(microUsd(balance - held)),
    open_requests: row.openLive + row.openTest,
    webhook_url: row.webhookUrl,
    own_limits: {
      requests_per_minute: row.requestsPerMinute,
      concurrent_requests: row.concurrentRequests,
      max_source_bytes: row.maxSourceBytes,
    },
    limits: presentLimits(limitsOf({ livemode: true, tier: row.tier, own: row })),
    suspended: row.suspended,
    created_at: row.createdAt.toISOString(),
  }
}

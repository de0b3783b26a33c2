import { describeFields, describeTime } from '@mediamill/cli/src/terminal/output'
import { limitsOf } from '@mediamill/contract/domain/limits'
import { formatDollars, microUsd, toMoney } from '@mediamill/contract/domain/money'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { presentLimits } from '../accounts/present-limits.ts'
import type { AccountRow } from '../db/accounts/accounts.ts'

export function presentAccount(row: AccountRow): object {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    tier: row.tier,
    balance: toMoney(microUsd(row.balance)),
    held: toMoney(microUsd(row.held)),
    open_requests: { live: row.openLive, test: row.openTest },
    webhook_url: row.webhookUrl,
    limits: presentLimits(liveLimits(row)),
    weight: row.weight,
    suspended: row.suspended,
    created_at: row.createdAt.toISOString(),
  }
}

export function describeAccount(row: AccountRow): string {
  const limits = liveLimits(row)
  return describeFields([
    ['account', String(row.id)],
    ['name', row.name],
    ['email', row.email],
    ['tier', row.tier],
    ['balance', formatDollars(microUsd(row.balance))],
    ['held', `${formatDollars(microUsd(row.held))} by ${row.openLive} open requests`],
    ['webhook', row.webhookUrl ?? 'none'],
    ['live limits', `${limits.requestsPerMinute} calls a minute, ${limits.concurrentRequests} requests at once`],
    ['largest source', formatBytes(limits.maxSourceBytes)],
    ['weight', String(row.weight)],
    ['suspended', row.suspended ? 'yes' : 'no'],
    ['created', describeTime(row.createdAt)],
  ])
}

const liveLimits = (row: AccountRow) => limitsOf({ livemode: true, tier: row.tier, own: row })

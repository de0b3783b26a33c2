import type { Registry } from 'prom-client'
import type { Sql } from '../db/connection/connect.ts'
import { compareBalances } from '../db/metrics.ts'
import { every } from '../lib/time/every.ts'
import { logErrors } from '../queue/log-errors.ts'
import type { Logger } from '../telemetry/log.ts'
import { metricsOf } from '../telemetry/metrics.ts'

const ACCOUNTS = 100
const COMPARE_MS = 60_000

/** Compares balances with their ledgers, some accounts each minute. Starts again after the last account. */
export function watchLedger(registry: Registry, sql: Sql, log: Logger, signal: AbortSignal): void {
  const wrong = new Set<number>()
  const { gauge } = metricsOf(registry)
  gauge('ledger_drift_accounts', 'Accounts whose balance differs from their ledger. Above 0 is a bug.', [], (metric) =>
    metric.set(wrong.size),
  )
  let after = 0
  const compare = async () => {
    const compared = await compareBalances(sql, after, ACCOUNTS)
    for (const id of wrong) if (id > after && id <= (compared.last ?? Number.MAX_SAFE_INTEGER)) wrong.delete(id)
    for (const id of compared.wrong) {
      wrong.add(id)
      log.error({ account: id }, 'balance differs from ledger')
    }
    after = compared.last ?? 0
  }
  every(COMPARE_MS, signal, logErrors(log, 'comparing balances with the ledger', compare))
}

import type { Difference, Overdrawn } from '../db/accounts/ledger.ts'
import { listDifferences, listMischarged, listOverdrawn } from '../db/accounts/ledger.ts'
import type { Runner } from '../db/connection/connect.ts'

export type LedgerReport = {
  /** Accounts whose balance differs from their ledger, or whose held amount or number of open requests is wrong. */
  differences: Difference[]
  mischarged: { requestId: number; price: number; charged: number }[]
  overdrawn: Overdrawn[]
}

export async function verifyLedger(sql: Runner): Promise<LedgerReport> {
  const [differences, mischarged] = [await listDifferences(sql), await listMischarged(sql)]
  return { differences, mischarged, overdrawn: await listOverdrawn(sql) }
}

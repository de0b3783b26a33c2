import type { Difference, Overdrawn } from '../db/accounts/ledger.ts'
import { listDifferences, listMischarged, listOverdrawn } from '../db/accounts/ledger.ts'
import type { Sql } from '../db/connection/connect.ts'

/** The faults in the books; three empty lists when they agree. */
export type BooksReport = {
  /** Accounts whose balance, hold or count of open requests is not the sum of its parts. */
  differences: Difference[]
  /** Requests whose charge is missing, doubled or of another amount. */
  mischarged: { requestId: number; price: number; charged: number }[]
  /** Accounts that are below zero by more than one request (rulings 19). */
  overdrawn: Overdrawn[]
}

/** Recomputes every balance from the ledger, and every hold and charge from the requests. */
export async function verifyBooks(sql: Sql): Promise<BooksReport> {
  const [differences, mischarged] = [await listDifferences(sql), await listMischarged(sql)]
  return { differences, mischarged, overdrawn: await listOverdrawn(sql) }
}

import type { AuditEntry } from '../db/accounts/audit.ts'
import { insertAudit } from '../db/accounts/audit.ts'
import type { Runner } from '../db/connection/connect.ts'
import { transact, waitForDisk } from '../db/connection/transaction.ts'

export type Author = Pick<AuditEntry, 'actor' | 'sessionId' | 'name' | 'client'>

/** A change to audit. If `subject` or `detail` depends on the result, the work sets it with `complete`. */
type Change = Pick<AuditEntry, 'accountId' | 'action'> & {
  subject?: string | null
  detail?: Record<string, unknown>
}

/** Makes a change with `work` and records it, in one transaction. Records nothing if `work` returns `undefined`. */
export async function audited<Result>(
  sql: Runner,
  author: Author,
  change: Change,
  work: (tx: Runner, complete: (known: Partial<Change>) => void) => Promise<Result>,
): Promise<Result> {
  return await transact(sql, async (tx) => {
    await waitForDisk(tx)
    let whole = change
    const result = await work(tx, (known) => (whole = { ...whole, ...known }))
    if (result === undefined) return result
    const { accountId, action, subject = null, detail = {} } = whole
    await insertAudit(tx, { ...author, accountId, action, subject, detail })
    return result
  })
}

import type { Runner } from '../connection/connect.ts'
import { json } from '../connection/json.ts'

type Actor = 'account' | 'key' | 'operator' | 'command' | 'stripe' | 'service'

export type AuditEntry = {
  accountId: number | null
  sessionId: number | null
  actor: Actor
  /** The key's label, the operator's name, or the email address of the author. For a command: `user@host`. */
  name?: string | null
  client?: string | null
  action: string
  subject: string | null
  detail: Record<string, unknown>
}

type AuditRow = AuditEntry & { id: number; at: Date; name: string | null; client: string | null }

/** Adds an entry to the audit log. Call it in the transaction of the change, so that both are committed together. */
export async function insertAudit(tx: Runner, entry: AuditEntry): Promise<void> {
  const { accountId, sessionId, actor, action, subject, detail, name = null, client = null } = entry
  await tx`
    insert into audit (account_id, session_id, actor, name, client, action, subject, detail)
    values (${accountId}, ${sessionId}, ${actor}, ${name}, ${client}, ${action}, ${subject}, ${json(detail)})`
}

export async function listAudit(
  sql: Runner,
  which: { accountId: number | null; before: number | null; limit: number },
): Promise<AuditRow[]> {
  const { accountId, before, limit } = which
  const own = accountId === null ? sql`true` : sql`account_id = ${accountId}`
  return await sql<AuditRow[]>`
    select id, at, account_id as "accountId", session_id as "sessionId", actor, name, client, action,
      subject, detail
    from audit where ${own} and id < ${before ?? Number.MAX_SAFE_INTEGER}::bigint
    order by id desc limit ${limit}`
}

import type { Sql } from '../../db/connection/connect.ts'
import type { Author } from '../audit.ts'
import { audited } from '../audit.ts'
import { readWebhookSecrets, rollWebhookSecret } from '../webhook-secret.ts'

export async function revealWebhookSecret(
  sql: Sql,
  secretKey: string,
  author: Author,
  accountId: number,
): Promise<string | undefined> {
  return await audited(sql, author, { accountId, action: 'webhook_secret.revealed' }, async (tx) => {
    const [newest] = await readWebhookSecrets(tx, secretKey, accountId)
    return newest?.secret
  })
}

export async function rollOwnSecret(
  sql: Sql,
  secretKey: string,
  author: Author,
  accountId: number,
  overlapMs: number,
): Promise<string | undefined> {
  const detail = { overlap_hours: overlapMs / 3_600_000 }
  return await audited(
    sql,
    author,
    { accountId, action: 'webhook_secret.rolled', detail },
    async (tx) => await rollWebhookSecret(tx, secretKey, accountId, overlapMs),
  )
}

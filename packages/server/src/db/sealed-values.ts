import type { Runner } from './connection/connect.ts'

export type Sealed = { value: Buffer; sealedBy: string }

/** An encrypted value. `sealedBy`: the fingerprint of its key. In rows of older versions, it may be `null` or wrong. */
export type SealedRow = { id: number; accountId: number; sealed: Buffer | null; sealedBy: string | null }

export type SealedColumn = {
  list: (sql: Runner, after: number, limit: number) => Promise<SealedRow[]>
  /** Replaces the encrypted value `before`. Returns `false` if the row has a different value now. */
  replace: (sql: Runner, id: number, before: Buffer, sealed: Sealed) => Promise<boolean>
}

export async function countSealedByName(sql: Runner): Promise<{ key: string; values: number }[]> {
  return await sql<{ key: string; values: number }[]>`
    select coalesce(sealed_by, 'unknown') as key, count(*)::integer as values
    from (
      select sealed_by from webhook_secrets where expires_at is null or expires_at > now()
      union all
      select r.destination_sealed_by from jobs j join requests r on r.id = j.record_id
      where j.kind = 'request' and r.destination is not null
    ) sealed
    group by 1`
}

export const SEALED_SECRETS: SealedColumn = {
  list: async (sql, after, limit) =>
    await sql<SealedRow[]>`
      select id, account_id as "accountId", sealed, sealed_by as "sealedBy" from webhook_secrets
      where id > ${after}::bigint and (expires_at is null or expires_at > now())
      order by id limit ${limit}`,
  replace: async (sql, id, before, sealed) => {
    const { count } = await sql`
      update webhook_secrets set sealed = ${sealed.value}, sealed_by = ${sealed.sealedBy} where id = ${id} and sealed = ${before}`
    return count > 0
  },
}

export const SEALED_DESTINATIONS: SealedColumn = {
  list: async (sql, after, limit) =>
    await sql<SealedRow[]>`
      select r.id, r.account_id as "accountId", r.destination as sealed, r.destination_sealed_by as "sealedBy"
      from jobs j join requests r on r.id = j.record_id
      where j.kind = 'request' and j.record_id > ${after}::bigint
      order by j.record_id limit ${limit}`,
  replace: async (sql, id, before, sealed) => {
    const { count } = await sql`
      update requests set destination = ${sealed.value}, destination_sealed_by = ${sealed.sealedBy}
      where id = ${id} and destination = ${before}`
    return count > 0
  },
}

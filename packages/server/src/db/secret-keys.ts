import type { Runner } from './connection/connect.ts'

/** A key that encrypts or signs. Every process must have the key in SECRET_KEY until the key is retired. */
export type SecretKeyRow = { fingerprint: string; firstUsedAt: Date; lastUsedAt: Date; retiredAt: Date | null }

export async function listSecretKeys(sql: Runner): Promise<SecretKeyRow[]> {
  return await sql<SecretKeyRow[]>`
    select fingerprint, first_used_at as "firstUsedAt", last_used_at as "lastUsedAt", retired_at as "retiredAt"
    from secret_keys order by first_used_at, fingerprint`
}

const LOCK = 7_204_666

/** Locks the list of keys. If two processes start with different keys, the second finds the key of the first. */
export async function lockSecretKeys(tx: Runner): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCK})`
}

export async function recordSecretKey(sql: Runner, fingerprint: string): Promise<void> {
  await sql`
    insert into secret_keys (fingerprint) values (${fingerprint})
    on conflict (fingerprint) do update set last_used_at = now()`
}

export async function markSecretKeyRetired(sql: Runner, fingerprint: string): Promise<void> {
  await sql`update secret_keys set retired_at = now() where fingerprint = ${fingerprint} and retired_at is null`
}

/** Counts active keys. `rotationSeconds`: the time since the newest was first used, or 0 if only one key is active. */
type SecretKeyFigures = { keys: number; rotationSeconds: number }

export async function readSecretKeyFigures(sql: Runner): Promise<SecretKeyFigures> {
  const [row] = await sql<SecretKeyFigures[]>`
    select count(*)::integer as keys,
      case when count(*) > 1 then extract(epoch from now() - max(first_used_at)) else 0 end::float as "rotationSeconds"
    from secret_keys where retired_at is null`
  return row ?? { keys: 0, rotationSeconds: 0 }
}

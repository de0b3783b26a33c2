import type { Runner } from '../connection/connect.ts'

/** Records a Stripe event. Returns `false` if it was recorded earlier, so that its payment is not booked again. */
export async function insertStripeEvent(tx: Runner, event: { id: string; type: string }): Promise<boolean> {
  const noted = await tx`
    insert into stripe_events (id, type) values (${event.id}, ${event.type}) on conflict do nothing`
  return noted.count > 0
}

/** Raises the refunded total of a charge to `refunded`. Returns the increase, or 0 if the total is not higher. */
export async function raiseRefunded(
  tx: Runner,
  charge: { id: string; accountId: number; refunded: number },
): Promise<number> {
  await tx`
    insert into stripe_charges (id, account_id) values (${charge.id}, ${charge.accountId}) on conflict do nothing`
  const [row] = await tx<{ known: number }[]>`
    select refunded as known from stripe_charges where id = ${charge.id} for update`
  const more = Math.max(0, charge.refunded - (row?.known ?? 0))
  if (more > 0) await tx`update stripe_charges set refunded = refunded + ${more} where id = ${charge.id}`
  return more
}

export type StripeEntry = { reference: string; accountId: number; amount: number; since: Date }

export async function listStripeEntries(sql: Runner): Promise<StripeEntry[]> {
  return await sql<StripeEntry[]>`
    select reference, account_id as "accountId", sum(amount)::bigint as amount, min(created_at) as since
    from ledger
    where kind in ('purchase', 'adjustment') and reference ~ '^(stripe cs|refund of (ch|py))_[A-Za-z0-9_]+$'
    group by reference, account_id
    order by min(id)`
}

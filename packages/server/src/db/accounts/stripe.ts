import type { Runner } from '../connection/connect.ts'

/** Notes an event of Stripe. `false`: it was noted before, and what it says was booked. */
export async function insertStripeEvent(tx: Runner, event: { id: string; type: string }): Promise<boolean> {
  // wall: a payment that is booked twice
  const noted = await tx`
    insert into stripe_events (id, type) values (${event.id}, ${event.type}) on conflict do nothing`
  return noted.count > 0
}

/** Raises what is known of a charge's refunds, and returns by how much. 0 when as much was known. */
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

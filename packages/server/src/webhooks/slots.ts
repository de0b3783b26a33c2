/** How many deliveries a claim may take now, and how many one account may then have in flight. */
export type Room = { limit: number; share: number }

/** Bounds the memory of one claim: a request may have some hundred kB of operations and metadata. */
const MAX_CLAIM = 64

/**
 * Shares the free slots among accounts. One account may hold an eighth of them, and one claim takes half at most.
 *
 * As a result, a single account is fast, each account whose receivers hang makes all shares smaller, and the last slots
 * go to accounts with nothing in flight (buffer sharing with dynamic thresholds: Choudhury and Hahne, 1998).
 */
export function roomFor(slots: number, inFlight: number): Room {
  const free = slots - inFlight
  return { limit: Math.min(MAX_CLAIM, Math.ceil(free / 2)), share: Math.max(1, Math.floor(free / 8)) }
}

/** Counts deliveries by account. */
export function countByAccount(deliveries: readonly { accountId: number }[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { accountId } of deliveries) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  return counts
}

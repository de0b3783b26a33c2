export type Room = { limit: number; share: number }

/** Limits the memory of one claim: a request may have some hundred kB of operations and metadata. */
const MAX_CLAIM = 64

/**
 * Divides the free slots among accounts. One account gets at most an eighth of them, and one claim at most half. With
 * this division, a single account is fast, accounts with hanging receivers reduce every share, and the last slots go to
 * accounts without deliveries in flight (buffer sharing with dynamic thresholds: Choudhury and Hahne, 1998).
 */
export function roomFor(slots: number, inFlight: number): Room {
  const free = slots - inFlight
  return { limit: Math.min(MAX_CLAIM, Math.ceil(free / 2)), share: Math.max(1, Math.floor(free / 8)) }
}

export function countByAccount(deliveries: readonly { accountId: number }[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { accountId } of deliveries) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  return counts
}

type FreeSlots = { limit: number; share: number }

/** The maximum number of events in a claim. It limits memory, because an event may have several hundred kB. */
const MAX_CLAIM = 64

/**
 * Returns how many events to claim, and how many deliveries an account may have. Accounts with running deliveries
 * cannot take the last free slots (dynamic thresholds: Choudhury and Hahne, 1998).
 */
export function freeSlotsFor(slots: number, inFlight: number): FreeSlots {
  const free = slots - inFlight
  return { limit: Math.min(MAX_CLAIM, Math.ceil(free / 2)), share: Math.max(1, Math.floor(free / 8)) }
}

export function countByAccount(deliveries: readonly { accountId: number }[]): Map<number, number> {
  const byAccount = Map.groupBy(deliveries, ({ accountId }) => accountId)
  return new Map([...byAccount].map(([accountId, own]) => [accountId, own.length]))
}

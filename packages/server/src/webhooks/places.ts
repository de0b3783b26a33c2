/** Counts the deliveries in flight, and shares the places among accounts. */
export type Places = {
  take: (accountId: number) => void
  give: (accountId: number) => void
  readonly inFlight: ReadonlyMap<number, number>
  readonly taken: number
  /** How many deliveries a claim may take now, and up to how many one account may have then. */
  room: () => { limit: number; share: number }
}

/** Bounds what one claim reads into memory: a request may bear some hundred kB of operations and metadata. */
const MAX_CLAIM = 64

/**
 * Shares the free places among accounts. One account may hold an eighth of them, and one claim takes half at most.
 *
 * So an account alone is fast, every account whose receivers hang makes the shares of all smaller, and the last places
 * go to accounts with nothing in flight (buffer sharing with dynamic thresholds: Choudhury and Hahne, 1998).
 */
export function createPlaces(count: number): Places {
  const inFlight = new Map<number, number>()
  let taken = 0
  const change = (accountId: number, by: 1 | -1) => {
    taken += by
    const held = (inFlight.get(accountId) ?? 0) + by
    if (held === 0) inFlight.delete(accountId)
    else inFlight.set(accountId, held)
  }
  return {
    take: (accountId) => change(accountId, 1),
    give: (accountId) => change(accountId, -1),
    inFlight,
    get taken() {
      return taken
    },
    room() {
      const free = count - taken
      return { limit: Math.min(MAX_CLAIM, Math.ceil(free / 2)), share: Math.max(1, Math.floor(free / 8)) }
    },
  }
}

import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Sql } from '../db/connection/connect.ts'
import type { Claim } from '../requests/claim.ts'
import { claim } from '../requests/claim.ts'

export type LaneSlots = {
  lane: Lane
  slots: number
  hasDiskSpace: () => boolean
}

const MAX_SKIPPED = 1_000

export class LaneClaims {
  readonly #sql: Sql
  readonly #workerId: string
  readonly #lanes: ReadonlyMap<Lane, LaneSlots>
  /** Lanes that may have queued requests. The lane of the last claim is last. */
  readonly #due = new Set<Lane>()
  readonly #skipped = new Set<RequestId>()

  constructor(sql: Sql, workerId: string, lanes: readonly LaneSlots[]) {
    this.#sql = sql
    this.#workerId = workerId
    this.#lanes = new Map(lanes.map((slots) => [slots.lane, slots]))
    this.markDue(this.#lanes.keys())
  }

  markDue(lanes: Iterable<Lane>): void {
    for (const lane of lanes) if (this.#lanes.has(lane)) this.#due.add(lane)
  }

  skip(id: RequestId): void {
    this.#skipped.add(id)
    const [oldest] = this.#skipped
    if (this.#skipped.size > MAX_SKIPPED && oldest !== undefined) this.#skipped.delete(oldest)
  }

  async claim(running: readonly Claim[]): Promise<Claim | undefined> {
    // `#claimFrom` moves a lane to the end. With a copy of the list, each lane is tried only once.
    const lanes = [...this.#due]
    for (const lane of lanes) {
      const claimed = await this.#claimFrom(lane, running)
      if (claimed !== undefined) return claimed
    }
    return undefined
  }

  async #claimFrom(lane: Lane, running: readonly Claim[]): Promise<Claim | undefined> {
    const { slots, hasDiskSpace } = this.#lanes.get(lane) ?? { slots: 0, hasDiskSpace: () => false }
    const claims = running.filter((one) => one.lane === lane)
    if (claims.length >= slots || !hasDiskSpace()) return undefined
    const exceptAccounts = fullAccounts(claims, slots)
    this.#due.delete(lane)
    let isDue = true
    try {
      const claimed = await claim(this.#sql, this.#workerId, lane, exceptAccounts, [...this.#skipped])
      // A claim that skipped accounts without free slots may leave requests in the queue.
      isDue = claimed !== undefined || exceptAccounts.length > 0
      return claimed
    } finally {
      if (isDue) this.#due.add(lane)
    }
  }
}

/** Returns the accounts that use half of a lane's slots. No account may use more (sources.slots.1). */
function fullAccounts(running: readonly Claim[], slots: number): number[] {
  const half = Math.max(1, Math.floor(slots / 2))
  const byAccount = Map.groupBy(running, ({ request }) => request.accountId)
  return [...byAccount].filter(([, claims]) => claims.length >= half).map(([accountId]) => accountId)
}

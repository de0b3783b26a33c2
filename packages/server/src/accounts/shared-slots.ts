import type { Tier } from '@mediamill/contract/domain/limits'

type SharedSlots = { unpaid: number; process: number }

/** Returns whether a slot is free. Unpaid accounts share a lower limit, because anyone can open many of them. */
export function hasFreeSlot(used: Iterable<{ tier: Tier }>, tier: Tier, { unpaid, process }: SharedSlots): boolean {
  const tiers = Array.from(used, (one) => one.tier)
  return tiers.length < process && (tier !== 'free' || tiers.filter((one) => one === 'free').length < unpaid)
}

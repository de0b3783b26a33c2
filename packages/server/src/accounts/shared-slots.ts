import type { Tier } from '@mediamill/contract/domain/limits'

/** How many slots of a process all accounts without a payment can use together, and all accounts. */
type SharedSlots = { unpaid: number; process: number }

/** Returns whether an account of a tier can take a slot. Anyone can open many accounts without a payment. */
export function hasFreeSlot(used: Iterable<{ tier: Tier }>, tier: Tier, { unpaid, process }: SharedSlots): boolean {
  const tiers = Array.from(used, (one) => one.tier)
  return tiers.length < process && (tier !== 'free' || tiers.filter((one) => one === 'free').length < unpaid)
}

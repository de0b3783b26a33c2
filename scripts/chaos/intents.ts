import type { Random } from '../../test/support/random.ts'
import type { SourceKind } from './sources.ts'

/** One thing that a client wants done, once. */
export type Intent = {
  /** In its request's metadata, and in its Idempotency-Key. */
  number: number
  /** The account's place in the list. */
  account: number
  live: boolean
  endpoint: 'process' | 'read'
  source: SourceKind
  webhook: boolean
  /** The same call is sent to every interface at once. */
  isDoubled: boolean
  /** How long after the acceptance the client wants it no more. */
  abortAfterMs: number | undefined
  /** The client polls until it is final, and fetches the result. */
  isFollowed: boolean
}

/** Draws what clients want: mostly small pictures, one in six for nothing, one in four with a webhook of its own. */
export function drawIntents(count: number, accounts: number, random: Random): Intent[] {
  return Array.from({ length: count }, (_, number) => ({
    number,
    account: number % accounts,
    live: !random.chance(0.12),
    endpoint: random.chance(0.75) ? 'process' : 'read',
    source: drawSource(random),
    webhook: random.chance(0.5),
    isDoubled: random.chance(0.15),
    abortAfterMs: random.chance(0.06) ? random.integer(0, 1_500) : undefined,
    isFollowed: random.chance(0.3),
  }))
}

function drawSource(random: Random): SourceKind {
  const lot = random.number()
  if (lot < 0.55) return 'small'
  if (lot < 0.8) return 'large'
  if (lot < 0.9) return 'slow'
  return random.pick(['missing', 'text', 'damaged'])
}

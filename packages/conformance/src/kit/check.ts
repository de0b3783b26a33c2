import type { Kit } from './kit.ts'

/** What a deployment must offer, or whoever runs the kit must give, for a check. */
export const NEEDS = {
  live: 'the key is a test key',
  paid: 'the account of the key never bought credit',
  test: 'no key of test mode was given (--test-key)',
  other: 'no key of another account was given (--other-key)',
  free: 'no live key of an account that never bought credit was given (--free-key)',
  poor: 'no live key of an account without credit was given (--poor-key)',
  suspended: 'no key of a suspended account was given (--suspended-key)',
  revoked: 'no revoked key was given (--revoked-key)',
  small: 'no live key with low limits was given (--small-key)',
  receiver: 'the service was not told to reach this machine (--listen)',
  secret: 'no webhook secret was given (--webhook-secret)',
  samples: 'the service is called by another address than its BASE_URL, or serves no samples',
  time: 'it takes longer than a short run does (leave out --short)',
} as const
export type Need = keyof typeof NEEDS

/** A promise of the interface, and how it is tried from outside. */
export type Check = {
  section: string
  /** What is tried, as a sentence. */
  title: string
  /** Beginnings of the sentences and rows that it holds, of its section or, as `8 > begin`, of another one. */
  keeps: readonly string[]
  needs?: readonly Need[]
  /** Whether it must run alone, since it uses up what others need. */
  alone?: true
  run: (kit: Kit) => Promise<void>
}

/** The checks of one section. */
export function checksOf(
  section: string,
  checks: readonly (Omit<Check, 'section'> & { section?: string })[],
): readonly Check[] {
  return checks.map((check) => ({ section, ...check }))
}

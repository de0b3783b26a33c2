import type { Kit } from './kit.ts'

/** The requirements of checks, with the reason to skip a check if a deployment or the options do not meet them. */
export const NEEDS = {
  live: 'the key is a test key',
  paid: 'the account of the key has never bought credit',
  test: 'no key of test mode was given (--test-key)',
  other: 'no key of another account was given (--other-key)',
  free: 'no live key of an account that never bought credit was given (--free-key)',
  poor: 'no live key of an account without credit was given (--poor-key)',
  suspended: 'no key of a suspended account was given (--suspended-key)',
  revoked: 'no revoked key was given (--revoked-key)',
  small: 'no live key with low limits was given (--small-key)',
  receiver: 'the server needs an address of this machine (--listen)',
  secret: 'no webhook secret was given (--webhook-secret)',
  samples: 'the service is called at an address other than its BASE_URL, or serves no samples',
  time: 'it takes too long for a short run (leave out --short)',
} as const
export type Need = keyof typeof NEEDS

/** A check of a deployment. It uses only the public API. */
export type Check = {
  /** Rule ids of docs/reference. The first id names the check. */
  rules: readonly [string, ...string[]]
  title: string
  needs?: readonly Need[]
  /** Whether no other check may run at the same time, because this check uses up a limit. */
  alone?: true
  run: (kit: Kit) => Promise<void>
}

export const checksOf = (checks: readonly Check[]): readonly Check[] => checks

/** Returns the topic of a rule: `requests.abort` for `requests.abort.3`. */
export const topicOf = (rule: string): string => rule.replace(/\.\d+$/, '')

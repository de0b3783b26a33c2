import { hash, randomInt } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 40
const CHECKSUM_LENGTH = 6
const SHAPE = /^svc_(?:live|test)_(?:r_)?[0-9A-Za-z]{46}$/

/** Marks a restricted key. Older server versions cannot check restrictions, and reject keys with this mark. */
const RESTRICTED = 'r_'

/** The prefix of API keys in each mode (auth.keys.2). */
export const KEY_PREFIXES = { live: 'svc_live_', test: 'svc_test_' } as const
export type Mode = keyof typeof KEY_PREFIXES

/** Creates an API key: prefix, 40 random base62 characters (238 bits), and a 6-character checksum (auth.keys.3). */
export function makeKey(mode: Mode, isRestricted = false): string {
  const body = Array.from({ length: BODY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const start = KEY_PREFIXES[mode] + (isRestricted ? RESTRICTED : '') + body
  return start + checksum(start)
}

/** Returns whether text has the format and checksum of an API key. Saves the database query for a mistyped key. */
export function isKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/** Returns the hash of an API key to store. A key has 238 random bits, so it needs neither a salt nor a slow hash. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

function checksum(text: string): string {
  let rest = Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
  let digits = ''
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits += ALPHABET[rest % ALPHABET.length]
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

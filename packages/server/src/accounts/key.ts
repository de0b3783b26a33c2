import { hash, randomInt } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 40
const CHECKSUM_LENGTH = 6
const SHAPE = /^svc_(?:live|test)_[0-9A-Za-z]{46}$/

/** The prefix of each kind of key (Spec 5). */
export const KEY_PREFIXES = { live: 'svc_live_', test: 'svc_test_' } as const
export type Mode = keyof typeof KEY_PREFIXES

/** Makes a new key. It has a prefix, 40 random base62 characters (238 bits), and a checksum of 6 (rulings 12). */
export function makeKey(mode: Mode): string {
  const body = Array.from({ length: BODY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return KEY_PREFIXES[mode] + body + checksum(KEY_PREFIXES[mode] + body)
}

/** Tells whether the text can be a key of ours. A mistyped one is refused without asking the database. */
export function isKey(text: string): boolean {
  // wall: a key with a slip in it
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/** Hashes a key, in hexadecimal digits; only that is stored. No salt and no slow hash: it is 238 random bits. */
export function hashKey(key: string): string {
  // wall: keys in the clear in the database
  return hash('sha256', key, 'hex')
}

/** Six base62 characters of the SHA-256: enough to notice a slip of the pen, which is all it is for. */
function checksum(text: string): string {
  let rest = Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
  let digits = ''
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits += ALPHABET[rest % ALPHABET.length]
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

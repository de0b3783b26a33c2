import { createHash } from 'node:crypto'

/** A JSON number represents this many hexadecimal digits exactly. */
const DIGITS = 13

/** Returns a number for each metadata pair. Migration 0011 computes the same numbers. */
export function pairsOf(metadata: Record<string, string>): number[] {
  return Object.entries(metadata).map(([key, value]) =>
    Number.parseInt(md5(md5(key) + md5(value)).slice(0, DIGITS), 16),
  )
}

/** Hashes a text with MD5. Collisions do not matter, because queries also compare the texts. */
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

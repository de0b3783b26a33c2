import { createHash } from 'node:crypto'

/** The number of hexadecimal digits that a JSON number represents exactly. */
const DIGITS = 13

/** Returns a number for each metadata pair. The numbers must equal the numbers that migration 0011 computes. */
export function pairsOf(metadata: Record<string, string>): number[] {
  return Object.entries(metadata).map(([key, value]) =>
    Number.parseInt(md5(md5(key) + md5(value)).slice(0, DIGITS), 16),
  )
}

/** Returns the MD5 of a text. Collisions do not matter, because queries compare the texts too. */
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

import { createHash } from 'node:crypto'

/** How many hexadecimal digits a JSON number represents exactly. */
const DIGITS = 13

/** Returns a number for each metadata pair. Migration 0011 computes the same numbers. */
export function pairsOf(metadata: Record<string, string>): number[] {
  return Object.entries(metadata).map(([key, value]) =>
    Number.parseInt(md5(md5(key) + md5(value)).slice(0, DIGITS), 16),
  )
}

/** Returns the MD5 of a text. Queries also compare the texts, so collisions do not matter. */
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

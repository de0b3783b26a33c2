import { createHash } from 'node:crypto'

/** Hexadecimal digits of a digest that a number in JSON carries exactly. */
const DIGITS = 13

/** Returns a number for each pair of metadata. Requests are found by these numbers; migration 0011 makes the same. */
export function pairsOf(metadata: Record<string, string>): number[] {
  return Object.entries(metadata).map(([key, value]) =>
    Number.parseInt(md5(md5(key) + md5(value)).slice(0, DIGITS), 16),
  )
}

/** Short and in PostgreSQL too; who finds a row compares the texts themselves. */
const md5 = (text: string) => createHash('md5').update(text).digest('hex')

import { createHash, randomBytes } from 'node:crypto'

export const newToken = (): string => randomBytes(32).toString('base64url')

/** The stored hash of a token. A token has 256 random bits, so it needs no salt and no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

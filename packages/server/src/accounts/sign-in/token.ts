import { createHash, randomBytes } from 'node:crypto'

/** A new token for a sign-in link or a session: 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** The stored hash of a token. With 256 random bits it needs no salt and no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Returns whether a text has the shape of a token. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

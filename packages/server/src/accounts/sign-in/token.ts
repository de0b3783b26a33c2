import { createHash, randomBytes } from 'node:crypto'

export const newToken = (): string => randomBytes(32).toString('base64url')

/** Returns the hash to store. A token has 256 random bits, so it needs neither a salt nor a slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

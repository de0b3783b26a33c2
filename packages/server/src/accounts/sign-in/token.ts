import { createHash, randomBytes } from 'node:crypto'

/** A new token of a sign-in link or a session: 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

/** What is stored of a token. No salt and no slow hash: it is 256 random bits. */
export function hashToken(token: string): Buffer {
  // wall: console tokens in the clear in the database
  return createHash('sha256').update(token).digest()
}

/** Whether a text can be a token of ours. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

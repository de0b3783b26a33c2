import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { secretKeysOf } from '@mediamill/contract/domain/secret-key'
import type { Sealed } from '../db/sealed-values.ts'
import { fingerprintOf } from '../lib/key-fingerprint.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The kind of secret. Each kind has its own encryption key. */
export type SealedUse = 'webhook secrets' | 'destinations'

/** Encrypts a secret for the database with AES-256-GCM. Decrypting requires the same `context` (the account's id). */
export function seal(secretKey: string, context: string, secret: string, use: SealedUse = 'webhook secrets'): Sealed {
  const [newest] = secretKeysOf(secretKey)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(newest, use), nonce)
  cipher.setAAD(Buffer.from(context))
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return { value: Buffer.concat([nonce, cipher.getAuthTag(), text]), sealedBy: fingerprintOf(newest) }
}

/** Decrypts a secret. Throws if `secretKey` lacks the key that encrypted the value, or if `context` differs. */
export function unseal(secretKey: string, context: string, sealed: Buffer, use: SealedUse = 'webhook secrets'): string {
  const found = tryUnseal(secretKey, context, sealed, use)
  if (found === undefined) throw new Error('No key of SECRET_KEY decrypts this value: run mediamill key-ring status.')
  return found.secret
}

/** Decrypts a secret. Returns `undefined` if no key fits. `position`: the index of the key in `secretKey`. */
export function tryUnseal(
  secretKey: string,
  context: string,
  sealed: Buffer,
  use: SealedUse,
): { secret: string; position: number } | undefined {
  for (const [position, key] of secretKeysOf(secretKey).entries()) {
    try {
      return { secret: open(sealingKey(key, use), context, sealed), position }
    } catch {
      // The value was encrypted with another key.
    }
  }
  return undefined
}

export const accountContext = (accountId: number): string => `account ${accountId}`

function open(key: Buffer, context: string, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/** Derives a separate key for each kind of secret, so that a leaked derived key reveals no other key. */
const sealingKey = (secretKey: string, use: SealedUse) =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `mediamill ${use}`, 32))

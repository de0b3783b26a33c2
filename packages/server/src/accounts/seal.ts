import type { KeyObject } from 'node:crypto'
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { secretKeysOf } from '@mediamill/contract/domain/secret-key'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The use of a sealed secret: each has a key of its own. */
export type SealedUse = 'webhook secrets' | 'destinations' | `ends of ${string}`

/** Those kept: one for each use, and one for each process whose notices of ends are heard. */
const MOST_KEYS = 200
const keys = new Map<string, KeyObject>()

/** Encrypts a secret for the database with AES-256-GCM. `context` (the account's id) must be the same to open it. */
export function seal(secretKey: string, context: string, secret: string, use: SealedUse = 'webhook secrets'): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secretKeysOf(secretKey)[0], use), nonce)
  // wall: a sealed secret on another account
  cipher.setAAD(Buffer.from(context))
  // wall: a secret in the clear
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/**
 * Decrypts what `seal` made with this key or with one that it replaced. Throws when it was another, or the context is.
 */
export function unseal(secretKey: string, context: string, sealed: Buffer, use: SealedUse = 'webhook secrets'): string {
  const [newest, ...older] = secretKeysOf(secretKey)
  // wall: a secret that was sealed with the key before
  for (const key of older.toReversed()) {
    try {
      return open(sealingKey(key, use), context, sealed)
    } catch {
      // Sealed with another one of them; the newest, tried last, says what is wrong.
    }
  }
  return open(sealingKey(newest, use), context, sealed)
}

function open(key: KeyObject, context: string, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
  // wall: a sealed secret on another account
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  // wall: a sealed secret that was changed
  return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/**
 * One key for each use, all from SECRET_KEY: what leaks of one says nothing of the others. Making one takes three times
 * as long as using it, so the last ones are kept.
 */
function sealingKey(secretKey: string, use: SealedUse): KeyObject {
  const name = `${use} ${secretKey}`
  let key = keys.get(name)
  if (key === undefined) {
    key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', `mediamill ${use}`, 32)))
    keys.set(name, key)
    for (const oldest of keys.keys()) {
      if (keys.size <= MOST_KEYS) break
      keys.delete(oldest)
    }
  }
  return key
}

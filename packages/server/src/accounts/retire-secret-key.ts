import { OperatorError } from '@mediamill/contract/domain/errors'
import { UPLOAD_LIFE_MS } from '@mediamill/contract/domain/uploads'
import { formatCount } from '@mediamill/contract/lib/format-text'
import type { Sql } from '../db/connection/connect.ts'
import type { SecretKeyRow } from '../db/secret-keys.ts'
import { listSecretKeys, lockSecretKeys, markSecretKeyRetired } from '../db/secret-keys.ts'
import type { Author } from './audit.ts'
import { audited } from './audit.ts'
import { fingerprintsOf } from './fingerprints.ts'
import { USE_MS } from './key-ring.ts'
import type { SealedCounts } from './sealed-values.ts'
import { countSealed, sumCounts } from './sealed-values.ts'

type Retiring = { secretKey: string; retentionMs: number; isForced: boolean; author: Author }

/** Retires a key of SECRET_KEY. Throws `OperatorError` for its first key and, unless `isForced`, for a key in use. */
export async function retireSecretKey(sql: Sql, fingerprint: string, retiring: Retiring): Promise<void> {
  const { secretKey, retentionMs, isForced, author } = retiring
  const own = fingerprintsOf(secretKey)
  const key = (await listSecretKeys(sql)).find((row) => row.fingerprint === fingerprint)
  if (key === undefined)
    throw new OperatorError(`There is no key ${fingerprint}. To list the keys, run mediamill key-ring status.`)
  if (key.retiredAt !== null) return
  if (fingerprint === own[0]) {
    throw new OperatorError(
      `The key ${fingerprint} is the first of SECRET_KEY: processes sign and encrypt with it. Put the new key first in SECRET_KEY of every process, then retire this key.`,
    )
  }
  if (!isForced) {
    await checkSealed(sql, secretKey, fingerprint)
    checkLinks(key, retentionMs)
  }
  const change = { accountId: null, action: 'secret_key.retired', subject: fingerprint, detail: { forced: isForced } }
  await audited(sql, author, change, async (tx) => {
    await lockSecretKeys(tx)
    await markSecretKeyRetired(tx, fingerprint)
    return true
  })
}

async function checkSealed(sql: Sql, secretKey: string, fingerprint: string): Promise<void> {
  const counts = await countSealed(sql, secretKey)
  const sealed = counts.get(fingerprint)
  if (fingerprintsOf(secretKey).includes(fingerprint)) {
    if (sealed === undefined) return
    throw new OperatorError(
      `The key ${fingerprint} still encrypts ${countText(sealed)}. Run mediamill key-ring reseal first.`,
    )
  }
  const unreadable = sumCounts([sealed, counts.get(null)])
  if (unreadable.webhookSecrets + unreadable.destinations === 0) return
  throw new OperatorError(
    `SECRET_KEY lacks the key ${fingerprint}, which may encrypt ${countText(unreadable)}. Add the key after a comma and run mediamill key-ring reseal first. If the key is lost, use --force and roll the secrets.`,
  )
}

/** Throws `OperatorError` if links that the key signed may still be valid. These links must work until they expire. */
function checkLinks({ fingerprint, lastUsedAt }: SecretKeyRow, retentionMs: number): void {
  const until = linksExpireAt(lastUsedAt, retentionMs)
  if (until.getTime() <= Date.now()) return
  throw new OperatorError(
    `The key ${fingerprint} signed links until ${lastUsedAt.toISOString()}, and these links may be valid until ${until.toISOString()}. Retire the key after that time, or use --force.`,
  )
}

/** Returns when the last link of a key expires. `lastUsedAt`: when the key was last the first key of a process. */
export const linksExpireAt = (lastUsedAt: Date, retentionMs: number): Date =>
  new Date(lastUsedAt.getTime() + USE_MS + Math.max(retentionMs, UPLOAD_LIFE_MS))

export const countText = ({ webhookSecrets, destinations }: SealedCounts): string =>
  `${formatCount(webhookSecrets, 'webhook secret')} and ${formatCount(destinations, 'destination')}`

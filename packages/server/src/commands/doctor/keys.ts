import type { KeyRingStatus } from '../../accounts/key-ring-status.ts'
import { readKeyRing } from '../../accounts/key-ring-status.ts'
import { countText } from '../../accounts/retire-key.ts'
import type { Runner } from '../../db/connection/connect.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'

export async function checkKeys(sql: Runner, secretKey: string): Promise<Finding> {
  return describeKeys(await readKeyRing(sql, secretKey))
}

function describeKeys({ keys, unreadable }: KeyRingStatus): Finding {
  const inUse = keys.filter(({ firstUsedAt, retiredAt }) => firstUsedAt !== undefined && retiredAt === undefined)
  const missing = inUse.find(({ position }) => position === undefined)
  if (missing !== undefined) {
    const says = `SECRET_KEY lacks the key ${missing.fingerprint}, which this database requires`
    return fault('keys', says, 'Add the key to SECRET_KEY after a comma: processes do not start without it.')
  }
  const first = keys.find(({ position }) => position === 0)
  if (first?.retiredAt !== undefined) {
    const says = `the first key of SECRET_KEY, ${first.fingerprint}, is retired`
    return fault('keys', says, 'Put a key first that is not retired: processes do not start with this one.')
  }
  if (unreadable.webhookSecrets + unreadable.destinations > 0) {
    const says = `no key of SECRET_KEY decrypts ${countText(unreadable)}`
    return warning('keys', says, 'Add the key that encrypted them to SECRET_KEY after a comma, or roll the secrets.')
  }
  const older = inUse.find(({ position }) => position !== 0)
  if (older?.sealed !== undefined) {
    const says = `the older key ${older.fingerprint} is not retired; it encrypts ${countText(older.sealed)}`
    const remedy = `Complete the rotation: mediamill key-ring reseal, then mediamill key-ring retire ${older.fingerprint}.`
    return { part: 'keys', verdict: 'warning', says, remedy, expected: true }
  }
  return good('keys', `${first?.fingerprint} signs and encrypts; no older key is needed`)
}

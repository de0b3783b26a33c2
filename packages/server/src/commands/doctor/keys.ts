import type { KeyStatus } from '../../accounts/key-ring-status.ts'
import { readKeyRing } from '../../accounts/key-ring-status.ts'
import { countText, linksExpireAt } from '../../accounts/retire-secret-key.ts'
import { sumCounts } from '../../accounts/sealed-values.ts'
import type { ServiceConfig } from '../../app/installation.ts'
import type { Runner } from '../../db/connection/connect.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'

type Settings = Pick<ServiceConfig, 'secretKey' | 'retentionMs'>

export async function checkKeys(sql: Runner, { secretKey, retentionMs }: Settings): Promise<Finding> {
  const { keys, unreadable } = await readKeyRing(sql, secretKey)
  const inUse = keys.filter(({ firstUsedAt, retiredAt }) => firstUsedAt !== undefined && retiredAt === undefined)
  const missing = inUse.find(({ position }) => position === undefined)
  if (missing !== undefined) {
    const message = `SECRET_KEY lacks the key ${missing.fingerprint}, which this database requires`
    return fault('keys', message, 'Add the key to SECRET_KEY after a comma: processes do not start without it.')
  }
  const first = keys.find(({ position }) => position === 0)
  if (first?.retiredAt !== undefined) {
    const message = `the first key of SECRET_KEY, ${first.fingerprint}, is retired`
    return fault('keys', message, 'Put a key first that is not retired: processes do not start with this one.')
  }
  if (unreadable.webhookSecrets + unreadable.destinations > 0) {
    const message = `no key of SECRET_KEY decrypts ${countText(unreadable)}`
    return warning('keys', message, 'Add the key that encrypted them to SECRET_KEY after a comma, or roll the secrets.')
  }
  const other = inUse.find(({ position }) => position !== 0)
  if (other !== undefined) {
    // The keys are in the order of their first use.
    const rotation = first !== undefined && keys.indexOf(other) > keys.indexOf(first) ? newKey : oldKey
    return { part: 'keys', verdict: 'warning', ...rotation(other, retentionMs), expected: true }
  }
  return good('keys', `${first?.fingerprint} signs and encrypts; no older key is needed`)
}

const newKey = ({ fingerprint }: KeyStatus) => ({
  message: `the new key ${fingerprint} is recorded, but it is not the first key of SECRET_KEY`,
  remedy: 'Continue the rotation: put the new key first in SECRET_KEY of every process, and restart the processes.',
})

function oldKey({ fingerprint, sealed = sumCounts([]), lastUsedAt = new Date() }: KeyStatus, retentionMs: number) {
  const from = linksExpireAt(lastUsedAt, retentionMs)
  const reseal = sealed.webhookSecrets + sealed.destinations === 0 ? '' : 'Run mediamill key-ring reseal. '
  const run = from <= new Date() ? 'Run' : `From ${from.toISOString()}, when the links of the key have expired, run`
  return {
    message: `the older key ${fingerprint} is not retired; it encrypts ${countText(sealed)}`,
    remedy: `Complete the rotation. ${reseal}${run} mediamill key-ring retire ${fingerprint}.`,
  }
}

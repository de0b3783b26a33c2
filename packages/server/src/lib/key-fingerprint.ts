import { hkdfSync } from 'node:crypto'

/** Caches fingerprints, because their derivation is slow and every encrypted value contains a fingerprint. */
const fingerprints = new Map<string, string>()

/** Returns eight hexadecimal digits that identify a secret key without revealing it. */
export function fingerprintOf(key: string): string {
  let fingerprint = fingerprints.get(key)
  if (fingerprint === undefined) {
    fingerprint = Buffer.from(hkdfSync('sha256', key, '', 'mediamill key fingerprint 1', 4)).toString('hex')
    fingerprints.set(key, fingerprint)
  }
  return fingerprint
}

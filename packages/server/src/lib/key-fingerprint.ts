import { hkdfSync } from 'node:crypto'

/** Caches fingerprints: deriving a fingerprint is slow, and every encrypted value names its key. */
const fingerprints = new Map<string, string>()

/** Returns eight hexadecimal digits that identify a key. A label of their own keeps them from revealing it. */
export function fingerprintOf(key: string): string {
  let fingerprint = fingerprints.get(key)
  if (fingerprint === undefined) {
    fingerprint = Buffer.from(hkdfSync('sha256', key, '', 'mediamill key fingerprint 1', 4)).toString('hex')
    fingerprints.set(key, fingerprint)
  }
  return fingerprint
}

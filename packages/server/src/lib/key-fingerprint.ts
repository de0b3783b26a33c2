import { hkdfSync } from 'node:crypto'

/** Returns eight hexadecimal digits that identify a secret key without revealing it. */
export function fingerprintOf(key: string): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'mediamill key fingerprint 1', 4)).toString('hex')
}

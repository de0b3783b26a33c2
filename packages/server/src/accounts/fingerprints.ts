import { secretKeysOf } from '@mediamill/contract/domain/secret-key'
import { fingerprintOf } from '../lib/key-fingerprint.ts'

/** Returns the fingerprints of the keys of a `SECRET_KEY`, in its order. */
export function fingerprintsOf(secretKey: string): [string, ...string[]] {
  const [newest, ...older] = secretKeysOf(secretKey)
  return [fingerprintOf(newest), ...older.map(fingerprintOf)]
}

import { secretKeysOf } from '@mediamill/contract/domain/secret-key'
import { fingerprintOf } from '../lib/key-fingerprint.ts'

export function fingerprintsOf(secretKey: string): [string, ...string[]] {
  const [newest, ...older] = secretKeysOf(secretKey)
  return [fingerprintOf(newest), ...older.map(fingerprintOf)]
}

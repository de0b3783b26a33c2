import { withTimeout } from '../runtime/time/with-timeout.ts'
import type { Store } from './store.ts'

const PATIENCE_MS = 2_000

/** A key that no file has: those that are made are random. */
const NO_FILE = `${'0'.repeat(40)}.jpg`

/** Tells whether the store answers within two seconds. It is asked for a file that it does not have. */
export async function isStoreReachable(store: Pick<Store, 'size'>): Promise<boolean> {
  const asked = store.size(NO_FILE).then(
    () => true,
    () => false,
  )
  return await withTimeout(asked, PATIENCE_MS, () => false)
}

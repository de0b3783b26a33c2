import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from './store.ts'

const PATIENCE_MS = 2_000

/** A key that no file has: those that are made are random. */
const NO_FILE = `${'0'.repeat(40)}.jpg`

/** Whether the store answers, within two seconds: it is asked for a file that it does not have. */
export async function isStoreReachable(store: Pick<Store, 'size'>): Promise<boolean> {
  const patience = new AbortController()
  const late = delay(PATIENCE_MS, false, { signal: patience.signal, ref: false }).catch(() => false)
  const asked = store.size(NO_FILE).then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([asked, late])
  } finally {
    patience.abort()
  }
}

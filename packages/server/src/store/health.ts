import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { withTimeout } from '../lib/time/with-timeout.ts'
import type { ByteRange, Store } from './store.ts'
import { newUploadKey } from './store.ts'

const PATIENCE_MS = 2_000

/** Returns whether the store responds within two seconds. */
export async function isStoreReachable(store: Pick<Store, 'check'>): Promise<boolean> {
  const checked = store.check().then(
    () => true,
    () => false,
  )
  return await withTimeout(checked, PATIENCE_MS, () => false)
}

/** The bytes of the marker object, and a range of them. */
const MARKER = Buffer.from('mediamill doctor')
const RANGE = { start: 10, end: 15 }

/** Puts, reads, reads a range of, and deletes a marker object. Returns the first step that fails, with its error. */
export async function tryStore(store: Store): Promise<{ step: string; error: unknown } | undefined> {
  const key = newUploadKey()
  const read = async (range?: ByteRange) => {
    const file = await store.open(key, range)
    return file === undefined ? undefined : await buffer(file.body)
  }
  const expect = (found: Buffer | undefined, wanted: Buffer) => {
    if (found?.equals(wanted) !== true) throw new Error('the store returned other bytes than it got')
  }
  const steps = {
    'find the bucket': () => store.check(),
    put: () => store.write(key, Readable.from([MARKER])),
    get: async () => expect(await read(), MARKER),
    'get a range': async () => expect(await read(RANGE), MARKER.subarray(RANGE.start, RANGE.end + 1)),
    delete: () => store.delete(key),
  }
  for (const [step, run] of Object.entries(steps)) {
    try {
      await run()
    } catch (error) {
      await store.delete(key).catch(() => undefined)
      return { step, error }
    }
  }
  return undefined
}

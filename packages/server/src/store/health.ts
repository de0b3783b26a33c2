import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { withTimeout } from '../lib/time/with-timeout.ts'
import type { ByteRange, Store } from './store.ts'
import { newUploadKey } from './store.ts'

const TIMEOUT_MS = 2_000

export async function isStoreReachable(store: Pick<Store, 'check'>): Promise<boolean> {
  const checked = store.check().then(
    () => true,
    () => false,
  )
  return await withTimeout(checked, TIMEOUT_MS, () => false)
}

const TRIAL = Buffer.from('mediamill doctor')
const RANGE = { start: 10, end: 15 }

export const STORE_STEPS = ['find the bucket', 'put', 'get', 'get a range', 'delete'] as const

export async function tryStore(
  store: Store,
): Promise<{ step: (typeof STORE_STEPS)[number]; error: unknown } | undefined> {
  const key = newUploadKey()
  const read = async (range?: ByteRange) => {
    const file = await store.open(key, range)
    return file === undefined ? undefined : await buffer(file.body)
  }
  const expect = (found: Buffer | undefined, expected: Buffer) => {
    if (found?.equals(expected) !== true) throw new Error('the store returned different bytes')
  }
  const steps: Record<(typeof STORE_STEPS)[number], () => Promise<unknown>> = {
    'find the bucket': () => store.check(),
    put: () => store.write(key, Readable.from([TRIAL])),
    get: async () => expect(await read(), TRIAL),
    'get a range': async () => expect(await read(RANGE), TRIAL.subarray(RANGE.start, RANGE.end + 1)),
    delete: () => store.delete(key),
  }
  for (const step of STORE_STEPS) {
    try {
      await steps[step]()
    } catch (error) {
      await store.delete(key).catch(() => undefined)
      return { step, error }
    }
  }
  return undefined
}

import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Store } from './store.ts'
import { MARKER_KEY } from './store.ts'

/** Returns the id of the database that the store belongs to, or `undefined` for a new store. */
export async function readMarker(store: Pick<Store, 'open'>): Promise<string | undefined> {
  const file = await store.open(MARKER_KEY)
  return file === undefined ? undefined : (await text(file.body)).trim()
}

/**
 * Writes the id of the database into a new store. Returns the id of the database that the store belongs to, which
 * differs from `databaseId` if another database uses the store.
 */
export async function claimStore(store: Pick<Store, 'open' | 'write'>, databaseId: string): Promise<string> {
  const owner = await readMarker(store)
  if (owner !== undefined) return owner
  await store.write(MARKER_KEY, Readable.from([Buffer.from(`${databaseId}\n`)]))
  return databaseId
}

import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from './store.ts'
import { MARKER_KEY } from './store.ts'

type MarkedStore = Pick<Store, 'open' | 'write'>

const MAX_TRIES = 4

/** Returns the id of the database that owns the store, or `undefined` if the marker is missing or empty. */
export async function readMarker(store: Pick<Store, 'open'>): Promise<string | undefined> {
  const file = await store.open(MARKER_KEY)
  // In a store that does not write objects atomically, another process may be writing an empty marker.
  return file === undefined ? undefined : (await text(file.body)).trim() || undefined
}

/** Writes the marker if it is missing. Returns the id of the owner, which may be another database. */
export async function claimStore(store: MarkedStore, databaseId: string): Promise<string> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    // After its write, the loop reads the marker again: another database may have written the marker at the same time.
    const owner = await readMarker(store)
    if (owner !== undefined) return owner
    try {
      await writeMarker(store, databaseId)
    } catch (error) {
      if (tries === MAX_TRIES) throw error
      await delay(100 + 200 * Math.random())
    }
  }
  return databaseId
}

/** Rewrites the marker, so that no lifecycle rule deletes it. Returns the id of the owner. */
export async function refreshMarker(store: MarkedStore, databaseId: string): Promise<string> {
  const owner = await readMarker(store)
  if (owner === undefined || owner === databaseId) await writeMarker(store, databaseId)
  return owner ?? databaseId
}

async function writeMarker(store: MarkedStore, databaseId: string): Promise<void> {
  await store.write(MARKER_KEY, Readable.from([Buffer.from(`${databaseId}\n`)]))
}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { pileUp } from '@mediamill/lab/support/deliveries'
import { openAccount } from '@mediamill/lab/support/line'
import { claimEvents } from '../db/events/events.ts'
import type { Places } from './places.ts'
import { createPlaces } from './places.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

/** Claims as a process does whose receivers all hang, until nothing more is given to it. */
async function claimAll(places: Places): Promise<void> {
  for (;;) {
    const { limit, share } = places.room()
    if (limit === 0) return
    const claimed = await claimEvents(sql, { limit, share, inFlight: places.inFlight, leaseMs: 600_000 })
    if (claimed.length === 0) return
    for (const { accountId } of claimed) places.take(accountId)
  }
}

/** Opens accounts with so many events each whose receivers hang. */
async function hang(accounts: number, events: number): Promise<void> {
  for (let index = 0; index < accounts; index += 1) {
    await pileUp(sql, (await openAccount(sql)).id, events, 'https://example.com/')
  }
}

const forgetAll = () => sql`update events set status = 'undelivered', due_at = null where due_at is not null`

test('an account whose receivers all hang holds a small share of the places, and gives it back', async () => {
  const places = createPlaces(256)
  await hang(1, 300)
  await claimAll(places)
  assert.ok(places.taken >= 20 && places.taken <= 32, String(places.taken))
  const [accountId = 0] = places.inFlight.keys()
  for (let count = places.taken; count > 0; count -= 1) places.give(accountId)
  assert.deepEqual([places.taken, places.inFlight.size], [0, 0])
  await forgetAll()
})

test('of accounts that hang at the same time each holds about as much, and a place is left for another one', async () => {
  const places = createPlaces(256)
  await hang(50, 20)
  await claimAll(places)
  const held = [...places.inFlight.values()]
  assert.equal(held.length, 50)
  assert.ok(Math.max(...held) - Math.min(...held) <= 2, held.join(' '))
  assert.ok(places.taken < 256)
  await forgetAll()
})

test('accounts that begin to hang one after the other leave places for others yet', async () => {
  const places = createPlaces(256)
  for (let count = 0; count < 20; count += 1) {
    await hang(1, 100)
    await claimAll(places)
  }
  assert.equal(places.inFlight.size, 20)
  assert.ok(places.room().limit >= 4, `${places.taken} are taken`)
  await forgetAll()
})

test('no more is taken than there are places', async () => {
  const places = createPlaces(8)
  await hang(12, 2)
  await claimAll(places)
  assert.deepEqual([places.taken, places.room().limit], [8, 0])
  await forgetAll()
})

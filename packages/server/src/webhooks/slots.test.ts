import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { pileUp } from '@mediamill/lab/support/deliveries'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { claimEvents } from '../db/events/events.ts'
import { countByAccount, freeSlotsFor } from './slots.ts'

const { sql } = await sharedDatabase()

class Slots {
  readonly claimed: { accountId: number }[] = []
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  get inFlight(): Map<number, number> {
    return countByAccount(this.claimed)
  }

  freeSlots() {
    return freeSlotsFor(this.#count, this.claimed.length)
  }

  /** Simulates a process whose receivers never respond. */
  async claimAll(): Promise<void> {
    for (let free = this.freeSlots(); free.limit > 0; free = this.freeSlots()) {
      const claimed = await claimEvents(sql, { ...free, inFlight: this.inFlight, leaseMs: 600_000 })
      if (claimed.length === 0) return
      this.claimed.push(...claimed)
    }
  }
}

async function hang(accounts: number, events: number): Promise<void> {
  for (let index = 0; index < accounts; index += 1) {
    await pileUp(sql, (await openAccount(sql)).id, events, 'https://example.com/')
  }
}

const forgetAll = () => sql`update events set status = 'undelivered', due_at = null where due_at is not null`

test('an account whose receivers all hang uses only a small share of the delivery slots', async () => {
  const slots = new Slots(256)
  await hang(1, 300)
  await slots.claimAll()
  assert.ok(slots.claimed.length >= 20 && slots.claimed.length <= 32, String(slots.claimed.length))
  assert.deepEqual([...slots.inFlight.values()], [slots.claimed.length])
  await forgetAll()
})

test('accounts with hanging receivers use similar numbers of slots, and leave slots for other accounts', async () => {
  const slots = new Slots(256)
  await hang(50, 20)
  await slots.claimAll()
  const held = [...slots.inFlight.values()]
  assert.equal(held.length, 50)
  assert.ok(Math.max(...held) - Math.min(...held) <= 2, held.join(' '))
  assert.ok(slots.claimed.length < 256)
  await forgetAll()
})

test('if the receivers of many accounts start to hang one after another, slots stay free for other accounts', async () => {
  const slots = new Slots(256)
  for (let count = 0; count < 20; count += 1) {
    await hang(1, 100)
    await slots.claimAll()
  }
  assert.equal(slots.inFlight.size, 20)
  assert.ok(slots.freeSlots().limit >= 4, `${slots.claimed.length} slots are held`)
  await forgetAll()
})

test('a delivery loop never claims more deliveries than it has free slots', async () => {
  const slots = new Slots(8)
  await hang(12, 2)
  await slots.claimAll()
  assert.deepEqual([slots.claimed.length, slots.freeSlots().limit], [8, 0])
  await forgetAll()
})

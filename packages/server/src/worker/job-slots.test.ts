import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Claim } from '../requests/claim.ts'
import { claimSize, JobSlots } from './job-slots.ts'

let ids = 0
// Slots read no more of a claim than this.
const claimOf = (accountId: number, lane: Lane = 'image') =>
  ({ request: { id: (ids += 1), accountId }, lane }) as unknown as Claim

/** Slots with a job that does not end for each of these accounts. */
function slotsOf(accountIds: readonly number[], lane: Lane = 'image'): JobSlots {
  const slots = new JobSlots()
  const never = () => new Promise<void>(() => undefined)
  for (const accountId of accountIds) slots.start(claimOf(accountId, lane), never, () => undefined)
  return slots
}

test('whosever requests a worker claims at once, no account comes to hold more than half of a lane [rulings 14]', () => {
  assert.deepEqual(slotsOf([]).room('image', 16), { most: 8, fullAccounts: [] })
  assert.deepEqual(slotsOf([1, 1, 1, 2]).room('image', 16), { most: 5, fullAccounts: [] })
  assert.deepEqual(slotsOf([1, 1, 1, 1, 1, 1, 1, 2]).room('image', 16), { most: 1, fullAccounts: [] })
  const full = [1, 1, 1, 1, 1, 1, 1, 1]
  assert.deepEqual(slotsOf(full).room('image', 16), { most: 8, fullAccounts: [1] })
  assert.deepEqual(slotsOf([...full, 2, 2, 2, 2, 2, 2]).room('image', 16), { most: 2, fullAccounts: [1] })
  assert.deepEqual(slotsOf([...full, 2, 3, 4, 5, 6, 7, 8, 9]).room('image', 16), { most: 0, fullAccounts: [1] })
})

test('what a worker holds of one lane leaves its room in another', () => {
  assert.deepEqual(slotsOf([1, 1, 1, 1], 'video').room('image', 4), { most: 2, fullAccounts: [] })
  assert.deepEqual(slotsOf([1, 1], 'video').room('video', 4), { most: 2, fullAccounts: [1] })
})

test('a lane of one place takes one request at a time, of any account', () => {
  assert.deepEqual(slotsOf([]).room('image', 1), { most: 1, fullAccounts: [] })
  assert.deepEqual(slotsOf([1]).room('image', 1), { most: 0, fullAccounts: [1] })
})

test('a worker takes one request, and of a long queue an eighth, of which sixteen at most', () => {
  const sizes = [0, 15, 16, 31, 32, 127, 128, 5_000].map((waiting) =>
    claimSize({ most: 40, fullAccounts: [] }, waiting),
  )
  assert.deepEqual(
    sizes.map(({ most }) => most),
    [1, 1, 2, 2, 4, 8, 16, 16],
  )
  assert.equal(claimSize({ most: 40, fullAccounts: [3] }, 5_000).most, 1, 'most of the queue may be of account 3')
  assert.equal(claimSize({ most: 7, fullAccounts: [] }, 5_000).most, 4, 'there is no room for more')
})

test('a worker counts so far that its next claim can be the largest, and with one place only whether any is left', () => {
  const { most, countTo } = claimSize({ most: 40, fullAccounts: [] }, 0)
  assert.equal(claimSize({ most: 40, fullAccounts: [] }, countTo - most).most, 16)
  assert.deepEqual(claimSize({ most: 1, fullAccounts: [] }, 5_000), { most: 1, countTo: 2 })
})

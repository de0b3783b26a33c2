import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount } from '@mediamill/lab/support/request-rows'
import type { Sql } from '../db/connection/connect.ts'
import { accept } from '../requests/accept.ts'
import type { Claim } from '../requests/claim.ts'
import type { LaneSlots } from './lane-claims.ts'
import { LaneClaims } from './lane-claims.ts'

const { sql } = await sharedDatabase()

const inDocuments = { endpoint: endpointNamed('documents/read') }

function counting() {
  const sent = { count: 0 }
  const counted: Sql = new Proxy(sql, {
    apply(target, self, args) {
      sent.count += 1
      return Reflect.apply(target, self, args) as unknown
    },
  })
  return { sent, counted }
}

const open = async (lanes: LaneSlots[], pool = sql) => new LaneClaims(pool, await aliveWorker(sql), lanes)

async function claimAll(claims: LaneClaims): Promise<Claim[]> {
  const running: Claim[] = []
  for (;;) {
    const claim = await claims.claim(running)
    if (claim === undefined) return running
    running.push(claim)
  }
}

test('a worker takes turns between lanes (such as images and documents) if several lanes have waiting requests', async () => {
  const { id } = await openAccount(sql)
  const images = [await accept(sql, acceptable(id)), await accept(sql, acceptable(id))]
  const document = await accept(sql, acceptable(id, inDocuments))
  const hasDiskSpace = () => true
  const claims = await open([
    { lane: 'image', slots: 9, hasDiskSpace },
    { lane: 'document', slots: 9, hasDiskSpace },
  ])
  const claimed = (await claimAll(claims)).map(({ request }) => request.id)
  assert.deepEqual(claimed, [images[0]?.id, document.id, images[1]?.id])
})

test('a worker queries the database only for lanes in which requests may be queued', async () => {
  const { id } = await openAccount(sql)
  const { sent, counted } = counting()
  let hasDiskSpace = false
  const claims = await open([{ lane: 'document', slots: 9, hasDiskSpace: () => hasDiskSpace }], counted)
  const first = await accept(sql, acceptable(id, inDocuments))
  assert.equal(await claims.claim([]), undefined)
  assert.equal(sent.count, 0, 'there is no room')
  hasDiskSpace = true
  assert.equal((await claims.claim([]))?.request.id, first.id)
  assert.equal(await claims.claim([]), undefined)
  const { count } = sent
  await accept(sql, acceptable(id, inDocuments))
  assert.equal(await claims.claim([]), undefined)
  assert.equal(sent.count, count, 'the last claim found no request')
  claims.markDue(['image', 'document'])
  assert.notEqual(await claims.claim([]), undefined)
})

test('one account uses at most half of the slots of a lane, so that slots remain for other accounts [sources.slots.1]', async () => {
  const [busy, late] = [await openAccount(sql), await openAccount(sql)]
  for (let index = 0; index < 4; index += 1) await accept(sql, acceptable(busy.id, inDocuments))
  const claims = await open([{ lane: 'document', slots: 4, hasDiskSpace: () => true }])
  const running = await claimAll(claims)
  assert.deepEqual(
    running.map(({ request }) => request.accountId),
    [busy.id, busy.id],
  )
  await accept(sql, acceptable(late.id, inDocuments))
  const next = await claims.claim(running)
  assert.equal(next?.request.accountId, late.id, 'the lane is still due')
  const [, second] = running
  assert.ok(second)
  assert.equal((await claims.claim([second, next]))?.request.accountId, busy.id)
})

test('a lane with one slot runs one request at a time', async () => {
  const { id } = await openAccount(sql)
  for (let index = 0; index < 2; index += 1) await accept(sql, acceptable(id))
  const claims = await open([{ lane: 'image', slots: 1, hasDiskSpace: () => true }])
  assert.equal((await claimAll(claims)).length, 1)
})

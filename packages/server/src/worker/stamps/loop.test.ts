import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Stamp } from '@mediamill/contract/domain/drawn/stamp'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { createDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/line'
import pino from 'pino'
import { StampUnwanted } from '../../uploads/stamps/line.ts'
import { StampWatch } from '../../uploads/stamps/stamp-watch.ts'
import { StampLoop } from './loop.ts'

const database = await createDatabase()
const { sql } = database
const watch = new StampWatch(sql, { discard: () => Promise.resolve() }, sql)
after(async () => {
  await watch[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})
const account = await openAccount(sql)
const STAMP: Stamp = { type: 'image', source: 'upload:x', opacity: 100, rotation: 0, trim: false }
const order = async () =>
  await watch.order({
    accountId: account.id,
    livemode: true,
    stamp: STAMP,
    roomBytes: 1,
    sourceBytes: 1,
    waitMs: 60_000,
  })

async function endWith(id: string, draw: () => Promise<void>) {
  const ends: string[] = []
  const gone = new AbortController()
  const log = pino({ level: 'silent' })
  const loop = new StampLoop({
    sql,
    notices: undefined,
    places: 2,
    hasRoom: () => true,
    draw,
    onEnd: (outcome) => {
      ends.push(outcome)
      // Nobody is told of such a one.
      if (outcome === 'unwanted') gone.abort()
    },
    log,
  })
  await using _running = await loop.start()
  const end = await watch.end(id, gone.signal)
  return { outcome: end?.outcome, ends }
}

test('a stamp that was lost with two workers is not tried by a third: its call is told [rulings 17]', async () => {
  const id = await order()
  await sql`update stamps set attempt = 2`
  let drawn = 0
  const draw = () => {
    drawn += 1
    return Promise.reject(new RequestFailure('processing_failed', 'drawn all the same'))
  }
  assert.deepEqual(await endWith(id, draw), { outcome: { status: 'ours' }, ends: ['broken'] })
  assert.equal(drawn, 0)
  const lostOnce = await order()
  await sql`update stamps set attempt = 1 where id = ${lostOnce}`
  const { ends } = await endWith(lostOnce, draw)
  assert.deepEqual([drawn, ends], [1, ['refused']], 'a second worker tries')
})

test("a worker tells what is the call's fault in its words, and nothing of what is ours [rulings 17]", async () => {
  const refused = () => Promise.reject(new RequestFailure('source_unreachable', 'It was not there.'))
  const outcome = { status: 'failed', code: 'source_unreachable', message: 'It was not there.' }
  assert.deepEqual(await endWith(await order(), refused), { outcome, ends: ['refused'] })
  const broken = () => Promise.reject(new Error('/some/path is full'))
  assert.deepEqual(await endWith(await order(), broken), { outcome: { status: 'ours' }, ends: ['broken'] })
})

test('a stamp that nobody wants any more is nobody’s fault [rulings 17]', async () => {
  const id = await order()
  const draw = async () => {
    await sql`delete from stamps where id = ${id}`
    throw new StampUnwanted()
  }
  assert.deepEqual(await endWith(id, draw), { outcome: undefined, ends: ['unwanted'] })
})

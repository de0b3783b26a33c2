import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { afterFile } from '@mediamill/lab/support/shared'
import pino from 'pino'
import { StampWatch } from '../../uploads/stamps/stamp-watch.ts'
import { createTextWatermarkLoop, TextWatermarkAbandoned } from './text-watermark-loop.ts'

const { sql } = await sharedDatabase()
const watch = new StampWatch(sql, sql)
afterFile(() => watch.close())
const account = await openAccount(sql)
const STAMP: Stamp = { type: 'image', source: 'upload:x', opacity: 100, rotation: 0, trim: false }
const order = async ({ id } = account) =>
  await watch.order({
    accountId: id,
    livemode: true,
    stamp: STAMP,
    quotaBytes: 1,
    sourceBytes: 1,
    waitMs: 60_000,
  })

async function endWith(id: string, draw: () => Promise<void>) {
  const ends: string[] = []
  const gone = new AbortController()
  const log = pino({ level: 'silent' })
  const loop = createTextWatermarkLoop({
    sql,
    notices: undefined,
    slots: 2,
    hasDiskSpace: () => true,
    draw,
    onEnd: (outcome) => {
      ends.push(outcome)
      if (outcome === 'abandoned') gone.abort()
    },
    log,
  })
  await loop.start()
  const end = await watch.end(id, gone.signal)
  await loop.stop(60_000)
  return { outcome: end?.outcome, ends }
}

test('a text watermark fails after two workers were lost, and its call returns the error', async () => {
  const id = await order()
  await sql`update stamps set attempt = 2`
  let drawn = 0
  const draw = () => {
    drawn += 1
    return Promise.reject(new RequestFailure('processing_failed', 'drawn all the same'))
  }
  assert.deepEqual(await endWith(id, draw), { outcome: { status: 'ours' }, ends: ['error'] })
  assert.equal(drawn, 0)
  const lostOnce = await order()
  await sql`update stamps set attempt = 1 where id = ${lostOnce}`
  const { ends } = await endWith(lostOnce, draw)
  assert.deepEqual([drawn, ends], [1, ['rejected']], 'a second worker tries')
})

test('drawing errors that the caller can fix keep their message, and internal errors are hidden', async () => {
  const rejected = () => Promise.reject(new RequestFailure('source_unreachable', 'It was not there.'))
  const outcome = { status: 'failed', code: 'source_unreachable', message: 'It was not there.' }
  assert.deepEqual(await endWith(await order(), rejected), { outcome, ends: ['rejected'] })
  const broken = () => Promise.reject(new Error('/some/path is full'))
  assert.deepEqual(await endWith(await order(), broken), { outcome: { status: 'ours' }, ends: ['error'] })
})

test('if the client of a text watermark has disconnected, the loop reports no error', async () => {
  const id = await order()
  const draw = async () => {
    await sql`delete from stamps where id = ${id}`
    throw new TextWatermarkAbandoned()
  }
  assert.deepEqual(await endWith(id, draw), { outcome: undefined, ends: ['abandoned'] })
})

test('a worker draws at most one text watermark per slot at the same time', async () => {
  // An account uses at most half of the slots.
  const orders = [await order(), await order(await openAccount(sql)), await order(await openAccount(sql))]
  let [running, most] = [0, 0]
  const together = Promise.withResolvers<void>()
  const draw = async () => {
    running += 1
    most = Math.max(most, running)
    if (running === 2) together.resolve()
    await together.promise
    await sql`select pg_sleep(0.05)`
    running -= 1
    throw new RequestFailure('processing_failed', 'It is only a test.')
  }
  const log = pino({ level: 'silent' })
  const loop = createTextWatermarkLoop({
    sql,
    notices: undefined,
    slots: 2,
    hasDiskSpace: () => true,
    draw,
    onEnd: () => undefined,
    log,
  })
  await loop.start()
  await Promise.all(orders.map((id) => watch.end(id, new AbortController().signal)))
  await loop.stop(60_000)
  assert.equal(most, 2)
})

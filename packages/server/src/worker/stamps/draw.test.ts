import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { afterFile, sharedFolder } from '@mediamill/lab/support/shared'
import type { StampClaim } from '../../db/uploads/stamps.ts'
import { claimStamp, renewStamps, settleStamp } from '../../db/uploads/stamps.ts'
import { openDiskStore } from '../../store/disk.ts'
import { removeUpload, sweepStamps } from '../../uploads/remove.ts'
import { StampWatch } from '../../uploads/stamps/stamp-watch.ts'
import { UploadReceiver } from '../../uploads/upload-receiver.ts'
import { keepStamp } from './draw.ts'
import { TextWatermarkAbandoned } from './text-watermark-loop.ts'

const { sql } = await sharedDatabase()
const folder = await sharedFolder('mediamill-stamps-')
const store = await openDiskStore(folder)
const receiver = new UploadReceiver(sql, store, () => 'PNG')
const watch = new StampWatch(sql, sql)
afterFile(() => receiver[Symbol.dispose]())
afterFile(() => watch.close())

const STAMP: Stamp = { type: 'image', source: 'upload:x', opacity: 100, rotation: 0, trim: false }
const order = async (accountId: number, livemode = true) =>
  await watch.order({ accountId, livemode, stamp: STAMP, quotaBytes: 1e6, sourceBytes: 1e6, waitMs: 60_000 })
const keep = async (claim: StampClaim) =>
  await keepStamp(receiver, claim, { bytes: 5, width: 7, height: 9 }, async function* () {
    yield Buffer.from('a PNG')
  })
const next = async (perAccount = 50) => await claimStamp(sql, { perAccount, leaseMs: 10_000 })
const renewed = async (claim: StampClaim) => await renewStamps(sql, [claim], 10_000)
const claimed = async (perAccount = 50) => {
  const claim = await next(perAccount)
  assert.ok(claim !== undefined)
  return claim
}
const clear = async () => void (await sql`delete from stamps`)
const left = async (accountId: number) => {
  const [row] = await sql<{ uploads: number; room: number }[]>`
    select (select count(*)::integer from uploads where account_id = ${accountId}) as uploads,
      coalesce((select sum(bytes)::integer from upload_room where account_id = ${accountId}), 0) as room`
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  return { ...row, files: files.length }
}
const NOTHING = { uploads: 0, room: 0, files: 0 }

test('a text watermark leaves no upload if its client has disconnected [stamps.create.4]', async () => {
  const { id: accountId } = await openAccount(sql)
  const id = await order(accountId)
  const claim = await claimed()
  assert.equal(await watch.end(id, AbortSignal.abort()), undefined)
  assert.deepEqual(await renewed(claim), [])
  await assert.rejects(keep(claim), TextWatermarkAbandoned)
  assert.deepEqual(await left(accountId), NOTHING)
})

test('another worker draws the text watermark of a lost worker, and a late result of the lost worker is discarded', async () => {
  const { id: accountId } = await openAccount(sql)
  const id = await order(accountId)
  const first = await claimed()
  assert.equal(await next(), undefined)
  assert.deepEqual(await renewed(first), [id])
  await sql`update stamps set lease_until = now() where id = ${id}`
  const second = await claimed()
  assert.deepEqual([second.id, second.attempt], [id, 2])
  await assert.rejects(keep(first), TextWatermarkAbandoned)
  assert.equal(await settleStamp(sql, first, { status: 'ours' }, null), false)
  assert.deepEqual(await left(accountId), NOTHING)
  const upload = await keep(second)
  const end = await watch.end(id, new AbortController().signal)
  assert.deepEqual(end, { id, uploadId: upload.id, outcome: { status: 'drawn', width: 7, height: 9 } })
  assert.equal((await sql`select from stamps`).count, 0)
  await removeUpload(sql, store, { accountId, livemode: true }, upload.id)
  assert.deepEqual(await left(accountId), NOTHING)
})

test('if a call is aborted after its text watermark has finished, the text watermark is still returned, but only once', async () => {
  const { id: accountId } = await openAccount(sql)
  const id = await order(accountId)
  const upload = await keep(await claimed())
  assert.equal((await watch.end(id, AbortSignal.abort()))?.uploadId, upload.id)
  assert.equal(await watch.end(id, AbortSignal.abort()), undefined)
})

test('a worker draws next a text watermark of the account with the fewest in progress, and obeys the limit of text watermarks per account', async () => {
  await clear()
  const [one, two] = [await openAccount(sql), await openAccount(sql)]
  for (let count = 0; count < 4; count += 1) await order(one.id)
  await order(two.id)
  const accounts = [await claimed(3), await claimed(3), await claimed(3), await claimed(3)].map(
    (claim) => claim.accountId,
  )
  assert.deepEqual(accounts, [one.id, two.id, one.id, one.id])
  assert.equal(await next(3), undefined)
  assert.equal((await next(4))?.accountId, one.id)
  await clear()
})

test('the limit of open text watermarks per account and mode is exact under parallel calls [stamps.create.5]', async () => {
  const [one, two] = [await openAccount(sql), await openAccount(sql)]
  const orders = await Promise.allSettled(Array.from({ length: 25 }, () => order(one.id)))
  const rejected = orders.flatMap((made) => (made.status === 'rejected' ? [made.reason.code] : []))
  assert.deepEqual(rejected, Array(5).fill('concurrency_limited'))
  await order(one.id, false)
  await order(two.id)
  await clear()
})

test('if a call gets no response, cleanup removes its text watermark and its upload [stamps.create.4]', async () => {
  const { id: accountId } = await openAccount(sql)
  const before = (await left(accountId)).files
  const id = await order(accountId)
  await keep(await claimed())
  await sweepStamps(sql, store)
  assert.equal((await left(accountId)).uploads, 1)
  await sql`update stamps set wanted_until = now() - interval '61 seconds' where id = ${id}`
  await sweepStamps(sql, store)
  assert.deepEqual(await left(accountId), { ...NOTHING, files: before })
  assert.equal((await sql`select from stamps`).count, 0)
})

test('a stopping process responds to all waiting calls and removes their text watermarks [stamps.create.4]', async () => {
  const { id: accountId } = await openAccount(sql)
  const other = new StampWatch(sql, sql)
  const ids = [await order(accountId), await order(accountId)]
  const ends = ids.map((id) => other.end(id, new AbortController().signal))
  other[Symbol.dispose]()
  assert.deepEqual(await Promise.all(ends), [undefined, undefined])
  assert.equal((await sql`select from stamps`).count, 0)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../../test/support/database.ts'
import { acceptable, openAccount } from '../../../test/support/line.ts'
import { insertUpload } from '../../db/uploads/uploads.ts'
import { newUploadId } from '../../domain/uploads.ts'
import { abort } from '../abort.ts'
import { accept } from '../accept.ts'
import { sweepUploads } from './remove.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

const store = { discard: async () => undefined }

/** An upload of the account in a state, whose time is over or not. */
async function upload(accountId: number, { status = 'complete', isOver = true } = {}): Promise<string> {
  const id = newUploadId()
  const asked = {
    size: 5,
    signed: true,
    filename: null,
    origin: null,
    roomBytes: 1_000_000,
    lifeMs: 60_000,
    leaseMs: 60_000,
  }
  await insertUpload(sql, { accountId, livemode: true, id, ...asked })
  await sql`
    update uploads set status = ${status}, received = 5, sha256 = ${status === 'complete' ? Buffer.alloc(32) : null},
      sweep_at = now() + ${isOver ? -1 : 60} * interval '1 second'
    where id = ${id}`
  return id
}

const left = async (accountId: number) =>
  (await sql<{ id: string }[]>`select id from uploads where account_id = ${accountId} order by id`).map(({ id }) => id)

test('uploads whose time is over are swept, whole or not, but those that an open request uses are not [4.10, rulings 17]', async () => {
  const { id: accountId } = await openAccount(sql)
  await upload(accountId)
  await upload(accountId, { status: 'waiting' })
  const early = await upload(accountId, { isOver: false })
  const [source, mark] = [await upload(accountId), await upload(accountId)]
  const input = { operations: [{ type: 'watermark', image_url: `upload:${mark}`, x: 0, y: 0 }] }
  const request = await accept(sql, acceptable(accountId, { source: `upload:${source}`, input }))
  assert.equal(await sweepUploads(sql, store), 2)
  assert.deepEqual(await left(accountId), [early, source, mark].toSorted())
  await abort(sql, accountId, request.id)
  assert.equal(await sweepUploads(sql, store), 0, 'those in use are looked at again after a while')
  await sql`update uploads set sweep_at = now() where id in ${sql([source, mark])}`
  assert.equal(await sweepUploads(sql, store), 2)
  assert.deepEqual(await left(accountId), [early])
})

test('a sweep goes on until nothing is due, though the first hundred are in use', async () => {
  const { id: accountId } = await openAccount(sql)
  const used = await Promise.all(Array.from({ length: 100 }, () => upload(accountId)))
  await sql`update uploads set sweep_at = now() - interval '1 hour' where id in ${sql(used)}`
  const input = { operations: used.map((id) => ({ type: 'watermark', image_url: `upload:${id}`, x: 0, y: 0 })) }
  await accept(sql, acceptable(accountId, { input }))
  await upload(accountId)
  assert.equal(await sweepUploads(sql, store), 1)
  assert.equal((await left(accountId)).length, 100)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUploadId } from '@mediamill/contract/domain/uploads'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { markUpload, takeExpiredUploads } from '../db/uploads/delete.ts'
import { abandonFiles } from '../db/uploads/form-files.ts'
import { appendPart, insertPart } from '../db/uploads/parts.ts'
import { insertUpload } from '../db/uploads/uploads.ts'
import { abort } from '../requests/abort.ts'
import { accept } from '../requests/accept.ts'
import { deleteDueUploads, sweepChunks } from './remove.ts'

const { sql } = await sharedDatabase()

const store = { discard: async () => undefined }

async function upload(accountId: number, { status = 'complete', isOver = true } = {}): Promise<string> {
  const id = newUploadId()
  const asked = {
    size: 5,
    filename: null,
    origin: null,
    quotaBytes: 1_000_000,
    lifeMs: 60_000,
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

test('cleanup deletes expired uploads, complete or incomplete, except uploads that an open request uses [uploads.object.3]', async () => {
  const { id: accountId } = await openAccount(sql)
  await upload(accountId)
  await upload(accountId, { status: 'waiting' })
  const early = await upload(accountId, { isOver: false })
  const [source, mark] = [await upload(accountId), await upload(accountId)]
  const input = { operations: [{ type: 'watermark', image_url: `upload:${mark}`, x: 0, y: 0 }] }
  const request = await accept(sql, acceptable(accountId, { source: `upload:${source}`, input }))
  assert.equal(await deleteDueUploads(sql, store), 2)
  assert.deepEqual(await left(accountId), [early, source, mark].toSorted())
  await abort(sql, accountId, request.id)
  assert.equal(await deleteDueUploads(sql, store), 0, 'those in use are looked at again after a while')
  await sql`update uploads set sweep_at = now() where id = any(${[source, mark]})`
  assert.equal(await deleteDueUploads(sql, store), 2)
  assert.deepEqual(await left(accountId), [early])
})

test('cleanup deletes an expired upload even if open requests use the hundred uploads that expired before it', async () => {
  const { id: accountId } = await openAccount(sql)
  const used = await Promise.all(Array.from({ length: 100 }, () => upload(accountId)))
  await sql`update uploads set sweep_at = now() - interval '1 hour' where id = any(${used})`
  const input = { operations: used.map((id) => ({ type: 'watermark', image_url: `upload:${id}`, x: 0, y: 0 })) }
  await accept(sql, acceptable(accountId, { input }))
  await upload(accountId)
  assert.equal(await deleteDueUploads(sql, store), 1)
  assert.equal((await left(accountId)).length, 100)
})

test('if the store cannot delete a file, cleanup reports the error, keeps the upload, and deletes the other uploads', async () => {
  const { id: accountId } = await openAccount(sql)
  const [stuck] = [await upload(accountId), await upload(accountId)]
  await sql`
    insert into upload_parts (key, upload_id, account_id, livemode, start, size, lease_until)
    values (${stuck}, ${stuck}, ${accountId}, true, 0, 5, now())`
  const discard = () => Promise.reject(new Error('the store is unavailable'))
  await assert.rejects(deleteDueUploads(sql, { discard }), /the store is unavailable/)
  assert.deepEqual(await left(accountId), [stuck])
})

test('only one process at a time deletes an upload, until the lease of the deletion expires', async () => {
  const { id: accountId } = await openAccount(sql)
  const [wanted, broken] = [await upload(accountId), await upload(accountId, { status: 'waiting' })]
  await sql.begin(async (tx) => await markUpload(tx, { accountId, livemode: true }, wanted, 60_000))
  await sql`
    insert into upload_parts (key, upload_id, account_id, livemode, start, lease_until)
    values (${broken}, ${broken}, ${accountId}, true, 0, now() + interval '1 minute')`
  assert.deepEqual(await abandonFiles(sql, [broken], 60_000), [broken])
  for (const id of [wanted, broken]) {
    assert.equal(await deleteDueUploads(sql, store), 0)
    await sql`update uploads set sweep_at = sweep_at - interval '1 minute' where id = ${id}`
    assert.equal(await deleteDueUploads(sql, store), 1)
  }
})

test('other cleanup processes skip the uploads that a cleanup process has claimed, until its lease expires', async () => {
  const { id: accountId } = await openAccount(sql)
  const id = await upload(accountId)
  const take = async () =>
    await sql.begin(async (tx) => await takeExpiredUploads(tx, { limit: 10, leaseMs: 60_000, againMs: 60_000 }))
  assert.deepEqual((await take()).ids, [id])
  assert.deepEqual((await take()).ids, [])
  await sql`update uploads set sweep_at = sweep_at - interval '1 minute' where id = ${id}`
  assert.deepEqual((await take()).ids, [id])
})

test('cleanup of an open upload deletes only the unfinished chunks that dead processes were receiving [uploads.delete.4]', async () => {
  const { id: accountId } = await openAccount(sql)
  const uploadId = await upload(accountId, { status: 'waiting', isOver: false })
  await sql`update uploads set received = 0 where id = ${uploadId}`
  const owner = { accountId, livemode: true, uploadId, atOnce: 9, maxParts: 9, leaseMs: 60_000 }
  const [whole, dead, alive] = ['whole', 'dead', 'alive'].map((word) => `${word}-${uploadId}`) as [
    string,
    string,
    string,
  ]
  for (const [key, start] of [
    [whole, 0],
    [dead, 2],
    [alive, 2],
  ] as const)
    await sql.begin(async (tx) => await insertPart(tx, { ...owner, key, start }))
  assert.ok(await appendPart(sql, { key: whole, uploadId, start: 0, size: 2 }))
  await sql`update upload_parts set lease_until = now() - interval '1 hour' where key <> ${alive}`
  const gone: string[] = []
  await sweepChunks(sql, { discard: async (key) => void gone.push(key) })
  assert.deepEqual(gone, [dead])
  const kept = await sql<{ key: string }[]>`select key from upload_parts where upload_id = ${uploadId} order by key`
  assert.deepEqual(
    kept.map(({ key }) => key),
    [alive, whole],
  )
})

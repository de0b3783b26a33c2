import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountId } from '@mediamill/contract/domain/ids'
import type { Tier } from '@mediamill/contract/domain/limits'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { FormFile } from '../db/uploads/form-files.ts'
import { holdUploads } from '../db/uploads/uploads.ts'
import { abort } from '../requests/abort.ts'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import { settle } from '../requests/settle.ts'
import { openDiskStore } from '../store/disk.ts'
import { findUpload } from './find.ts'
import { deleteDueUploads } from './remove.ts'
import { UploadReceiver } from './upload-receiver.ts'

const { sql } = await sharedDatabase()
const store = await openDiskStore(await sharedFolder('mediamill-forms-'))
const receiver = new UploadReceiver(sql, store, () => 'JPEG')

const owner = async () => ({ accountId: (await openAccount(sql)).id, livemode: true })
type Owner = Awaited<ReturnType<typeof owner>>

const receive = async (by: Owner, { size = 10_000, earlier = [] as FormFile[], quotaBytes = 1_000_000 } = {}) =>
  await receiver.receiveFile(by, { size, earlier }, { quotaBytes }, async function* () {
    yield Buffer.alloc(5_000, 'x')
  })

const requestWith = async ({ accountId }: Owner, files: FormFile[], differing = {}) =>
  await accept(sql, acceptable(accountId, { source: `upload:${files[0]?.id}`, files, ...differing }))

const quotaOf = async ({ accountId }: Owner) =>
  (await sql<{ bytes: number }[]>`select bytes from upload_room where account_id = ${accountId}`)[0]?.bytes

const isStored = async ({ key }: FormFile) => (await store.size(key)) !== undefined

test('a form file is kept as an upload until its request ends, and counts toward the quota until it is deleted [direct.files.3]', async () => {
  const by = await owner()
  const first = await receive(by)
  const second = await receive(by, { earlier: [first] })
  assert.equal(await quotaOf(by), 20_000)
  const request = await requestWith(by, [first, second])
  assert.equal(await quotaOf(by), 10_000)
  const { status, size, sha256, format } = await findUpload(sql, by, second.id)
  assert.deepEqual(
    { status, size, sha256, format },
    { status: 'complete', size: 5_000, sha256: second.sha256, format: 'JPEG' },
  )
  assert.equal(await deleteDueUploads(sql, store), 0)
  const claimed = (await claim(sql, await aliveWorker(sql), 'image', [])) ?? assert.fail()
  assert.equal(claimed.request.id, request.id)
  await settle(sql, claimed.lease, succeeded(), RETENTION_MS)
  assert.deepEqual([await isStored(first), await quotaOf(by)], [true, 10_000])
  assert.equal(await deleteDueUploads(sql, store), 2)
  assert.deepEqual([await isStored(first), await isStored(second), await quotaOf(by)], [false, false, 0])
})

test('an abort of a request deletes its form files and then frees their quota [direct.files.3]', async () => {
  const by = await owner()
  const file = await receive(by)
  const { id } = await requestWith(by, [file])
  await abort(sql, by.accountId, id)
  assert.deepEqual([await isStored(file), await quotaOf(by)], [true, 5_000])
  assert.equal(await deleteDueUploads(sql, store), 1)
  assert.deepEqual([await isStored(file), await quotaOf(by)], [false, 0])
})

test('if a process dies after it has stored a form file, cleanup deletes the file within minutes [direct.files.3]', async () => {
  const by = await owner()
  const file = await receive(by)
  assert.equal(await deleteDueUploads(sql, store), 0)
  await sql`update uploads set sweep_at = now() where id = ${file.id}`
  await sql`update upload_parts set lease_until = now() where key = ${file.key}`
  await assert.rejects(requestWith(by, [file]), /lease of a form file expired/)
  assert.equal(await deleteDueUploads(sql, store), 1)
  assert.deepEqual([await isStored(file), await quotaOf(by)], [false, 0])
  await assert.rejects(requestWith(by, [file]), /lease of a form file expired/)
  assert.equal((await sql`select from requests where account_id = ${by.accountId}`).length, 0)
})

test('a rejected form request leaves no file, and an accepted form request keeps its files [direct.files.3]', async () => {
  const by = await owner()
  const [rejected, accepted] = [await receive(by), await receive(by)]
  const limits = { ...acceptable(by.accountId).limits, concurrentRequests: 1 }
  await requestWith(by, [accepted], { limits })
  await assert.rejects(requestWith(by, [rejected], { limits }), { code: 'concurrency_limited' })
  await receiver.dropFiles([rejected, accepted])
  assert.deepEqual([await isStored(rejected), await isStored(accepted), await quotaOf(by)], [false, true, 5_000])
})

test('a form file that another open request uses as its source is kept until the upload expires [uploads.object.3]', async () => {
  const by = await owner()
  const file = await receive(by)
  const { id } = await requestWith(by, [file])
  const other = await accept(
    sql,
    acceptable(by.accountId, { source: `upload:${file.id}`, uploads: [{ id: file.id, param: 'source' }] }),
  )
  await abort(sql, by.accountId, id)
  await sql`update uploads set sweep_at = now() where id = ${file.id}`
  assert.equal(await deleteDueUploads(sql, store), 0)
  assert.deepEqual([await isStored(file), await quotaOf(by)], [true, 5_000])
  await abort(sql, by.accountId, other.id)
  await sql`update uploads set sweep_at = now() where id = ${file.id}`
  assert.equal(await deleteDueUploads(sql, store), 1)
  assert.deepEqual([await isStored(file), await quotaOf(by)], [false, 0])
})

test('transactions that use the same form file at the same time do not cause a deadlock [uploads.object.3]', async () => {
  const by = await owner()
  const file = await receive(by)
  const { id } = await requestWith(by, [file])
  for (let round = 0; round < 20; round += 1) {
    await sql`update uploads set request_id = ${id} where id = ${file.id}`
    const transactions = Array.from({ length: 6 }, () => sql.begin((tx) => holdUploads(tx, by, [file.id])))
    assert.deepEqual(await Promise.all(transactions), Array(6).fill([file.id]))
    const [row] = await sql`select request_id from uploads where id = ${file.id}`
    assert.equal(row?.['request_id'], null)
  }
})

test('concurrent forms of one account cannot exceed its quota or its limit of concurrent uploads [uploads.size.2, uploads.size.3]', async () => {
  const by = await owner()
  const many = await Promise.allSettled(Array.from({ length: 30 }, () => receive(by)))
  const reasons = many.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  assert.deepEqual(
    reasons,
    Array.from({ length: 10 }, () => 'concurrency_limited'),
  )
  assert.equal(await quotaOf(by), 200_000)
  const other = await owner()
  const big = await Promise.allSettled(Array.from({ length: 10 }, () => receive(other, { quotaBytes: 30_000 })))
  assert.equal(big.filter(({ status }) => status === 'fulfilled').length, 3)
  await assert.rejects(receive(other, { quotaBytes: 30_000 }), /use 29\.3 KB of 29\.3 KB/)
})

test('if an account is at its limits of quota and concurrent uploads, a single-call upload gets the quota error, and a form the other error [uploads.size.3]', async () => {
  const by = await owner()
  for (let count = 0; count < 20; count += 1) await receive(by)
  const whole = receiver.receiveWhole(by, { size: 10_000 }, { quotaBytes: 200_000 }, () => assert.fail())
  await assert.rejects(whole, { code: 'upload_too_large' })
  await assert.rejects(receive(by, { quotaBytes: 200_000 }), { code: 'concurrency_limited' })
})

test('accounts without a payment share half of the slots for forms, and accounts with a payment can use the rest [uploads.size.3]', async () => {
  const [mailbox, paying] = [[], []] as [AccountId[], AccountId[]]
  for (let count = 0; count < 5; count += 1) {
    mailbox.push((await openAccount(sql)).id)
    paying.push((await openAccount(sql)).id)
  }
  const opened: Disposable[] = []
  const open = (ids: readonly AccountId[], tier: Tier) => {
    for (const id of Array.from({ length: 20 }, () => ids).flat()) {
      try {
        opened.push(receiver.openForm({ id, tier }))
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === 'concurrency_limited', String(error))
      }
    }
    return opened.length
  }
  assert.equal(open(mailbox, 'free'), 50)
  assert.equal(open(paying, 'paid'), 100)
  for (const slot of opened) slot[Symbol.dispose]()
})

test('all files of one form count as a single concurrent upload', async () => {
  const by = await owner()
  const files: FormFile[] = []
  for (let count = 0; count < 21; count += 1) files.push(await receive(by, { earlier: files }))
  await requestWith(by, files)
  assert.equal(await quotaOf(by), 21 * 5_000)
})

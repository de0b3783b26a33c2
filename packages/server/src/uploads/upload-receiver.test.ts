import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { mock, test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { MIN_STORED_BYTES, UPLOADS_AT_ONCE } from '@mediamill/contract/domain/uploads'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { listParts } from '../db/uploads/parts.ts'
import { openDiskStore } from '../store/disk.ts'
import { findSigned } from './find.ts'
import { deleteDueUploads, removeUpload, sweepChunks } from './remove.ts'
import { UploadReceiver } from './upload-receiver.ts'

const ALLOWANCE = { quotaBytes: 1_000_000 }
const database = await sharedDatabase()
const { sql } = database
const folder = await sharedFolder('mediamill-receiver-')
const store = await openDiskStore(folder)

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

test('an uploaded chunk is kept if the database connection was lost before the response [uploads.create.4]', async () => {
  // A connection that fails after the commit and before the response.
  const losing = new Proxy(sql, {
    apply(target, self, args) {
      const answered = Reflect.apply(target, self, args) as Promise<unknown>
      const isAdding = (args as [TemplateStringsArray])[0].join('').includes('update uploads set received')
      if (!isAdding) return answered
      return answered.then(() => {
        throw new Error('the answer was lost')
      })
    },
  })
  const { id: accountId } = await openAccount(sql)
  using receiver = new UploadReceiver(losing, store, () => undefined)
  const owner = { accountId, livemode: true }
  const upload = await receiver.begin(owner, { size: 9, filename: null, origin: null }, ALLOWANCE)
  await assert.rejects(
    receiver.append(upload, 0, () => bytes('four')),
    /the answer was lost/,
  )
  const [part, ...others] = await listParts(sql, upload.id)
  assert.deepEqual([part?.size, others], [4, []])
  assert.equal(await store.size(part?.key ?? ''), 4)
})

test('if a clock change makes the lease of an upload expire while its body arrives, the call fails with a server error', async () => {
  const { id: accountId } = await openAccount(sql)
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const { id: busyId } = await openAccount(sql)
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  // The upload of the other account must keep its lease.
  const other = receiver.receiveWhole(
    { accountId: busyId, livemode: true },
    { size: 4 },
    ALLOWANCE,
    async function* () {
      yield Buffer.from('four')
      begun.resolve()
      await held.promise
    },
  )
  await begun.promise
  async function* slow() {
    yield Buffer.from('four')
    await sql`update upload_parts set lease_until = now() - interval '1 hour' where account_id = ${accountId}`
  }
  const receiving = receiver.receiveWhole({ accountId, livemode: true }, { size: 4 }, ALLOWANCE, slow)
  await assert.rejects(
    receiving,
    (error) => !(error instanceof ApiError) && /lease of the upload expired/.test(String(error)),
  )
  assert.equal((await sql`select from uploads where account_id = ${accountId}`).length, 0, 'nothing is left of it')
  held.resolve()
  assert.equal((await other).status, 'complete')
})

test('an upload keeps its lease while it receives bytes, for any duration [uploads.delete.4]', async () => {
  const { id: accountId } = await openAccount(sql)
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    using receiver = new UploadReceiver(sql, store, () => undefined)
    const isOpen = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const receiving = receiver.receiveWhole({ accountId, livemode: true }, { size: 4 }, ALLOWANCE, async function* () {
      isOpen.resolve()
      await held.promise
      yield Buffer.from('four')
    })
    await isOpen.promise
    await sql`update upload_parts set lease_until = now() + interval '1 second' where account_id = ${accountId}`
    mock.timers.tick(15_000)
    await until(async () => {
      const renewed = await sql`
        select from upload_parts where account_id = ${accountId} and lease_until > now() + interval '50 seconds'`
      return renewed.length === 1
    })
    held.resolve()
    assert.equal((await receiving).status, 'complete')
  } finally {
    mock.timers.reset()
  }
})

test('if another process deletes an upload, the transfer of its body ends with 410 at the next check [uploads.delete.3]', async () => {
  const { id: accountId } = await openAccount(sql)
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    using receiver = new UploadReceiver(sql, store, () => undefined)
    const owner = { accountId, livemode: true }
    const upload = await receiver.begin(owner, { size: 9, filename: null, origin: null }, ALLOWANCE)
    const isOpen = Promise.withResolvers<void>()
    const receiving = receiver.append(upload, 0, async function* (signal) {
      yield Buffer.from('four')
      isOpen.resolve()
      await once(signal, 'abort')
      throw signal.reason
    })
    await isOpen.promise
    await sql`update uploads set status = 'deleting' where id = ${upload.id}`
    mock.timers.tick(2_000)
    await assert.rejects(receiving, { code: 'upload_expired' })
  } finally {
    mock.timers.reset()
  }
})

test('an upload is not completed if the store has fewer bytes than the client sent', async () => {
  const { id: accountId } = await openAccount(sql)
  let isShort = true
  const lying = {
    write: store.write.bind(store),
    discard: store.discard.bind(store),
    async open(key: string) {
      const file = await store.open(key)
      const [chunk = Buffer.alloc(0)] =
        file === undefined ? [] : await Array.fromAsync(file.body as AsyncIterable<Buffer>)
      const given = isShort ? chunk.subarray(1) : chunk
      return file && { ...file, size: given.length, body: Readable.from([given]) }
    },
  }
  using first = new UploadReceiver(sql, lying, () => undefined)
  // A receiver in another process. It has received none of the bytes.
  using second = new UploadReceiver(sql, lying, () => undefined)
  const begun = await first.begin({ accountId, livemode: true }, { size: 8, filename: null, origin: null }, ALLOWANCE)
  const half = await first.append(begun, 0, () => bytes('four'))
  const whole = await first.append(half, 4, () => bytes('more'))
  await assert.rejects(second.finishIfAll(whole), /another size/)
  isShort = false
  const { status, sha256 } = await second.finishIfAll(whole)
  assert.deepEqual([status, sha256], ['complete', createHash('sha256').update('fourmore').digest('hex')])
})

test('a chunk that begins after another chunk has completed the upload is rejected with the current offset [uploads.tus.4]', async () => {
  const { id: accountId } = await openAccount(sql)
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const upload = await receiver.begin(
    { accountId, livemode: true },
    { size: 4, filename: null, origin: null },
    ALLOWANCE,
  )
  await receiver.finishIfAll(await receiver.append(upload, 0, () => bytes('four')))
  await assert.rejects(
    receiver.append(upload, 0, () => bytes('more')),
    { code: 'upload_offset_mismatch' },
  )
})

test('an upload in a single call returns a server error if a database crash lost the row of the upload', async () => {
  const { id: accountId } = await openAccount(sql)
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const receiving = receiver.receiveWhole({ accountId, livemode: true }, { size: 4 }, ALLOWANCE, async function* () {
    yield Buffer.from('four')
    await sql`update uploads set status = 'deleting' where account_id = ${accountId}`
  })
  await assert.rejects(
    receiving,
    (error) => !(error instanceof ApiError) && /database crash lost its row/.test(String(error)),
  )
})

test('if the body of a single-call upload is interrupted, the call returns an error only after the upload is deleted', async () => {
  const { id: accountId } = await openAccount(sql)
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const [begun, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const call = receiver.receiveWhole({ accountId, livemode: true }, { size: 9 }, ALLOWANCE, async function* () {
    begun.resolve()
    await locked.promise
    yield* bytes('four')
    throw new Error('the body broke off')
  })
  let hasEnded = false
  const ended = call.finally(() => (hasEnded = true))
  ended.catch(() => undefined)
  await begun.promise
  await sql.begin(async (tx) => {
    await tx`select from uploads where account_id = ${accountId} for update`
    locked.resolve()
    await until(async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    assert.equal(hasEnded, false)
  })
  await assert.rejects(ended, /the body broke off/)
  assert.equal((await sql`select from uploads where account_id = ${accountId}`).length, 0)
})

test('an upload that is deleted while calls send data to it keeps its slot, row, and quota until the last of these calls ends [uploads.delete.3]', async () => {
  const owner = { accountId: (await openAccount(sql)).id, livemode: true }
  const rows = async () => {
    const [row] = await sql<{ bytes: number; uploads: number; open: number }[]>`
      select bytes, (select count(*)::integer from uploads u where u.account_id = r.account_id) as uploads,
        (select count(*)::integer from upload_parts p where p.account_id = r.account_id and size is null) as open
      from upload_room r where account_id = ${owner.accountId}`
    return row
  }
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const upload = await receiver.begin(owner, { size: 100_000, filename: null, origin: null }, ALLOWANCE)
  const bodies = [1, 2].map(() => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const receiving = receiver.append(upload, 0, async function* () {
      begun.resolve()
      yield Buffer.from('some')
      await held.promise
    })
    return { begun: begun.promise, end: held.resolve, receiving }
  })
  await Promise.all(bodies.map(({ begun }) => begun))
  await removeUpload(sql, store, owner, upload.id)
  assert.deepEqual(await rows(), { bytes: 100_000, uploads: 1, open: 2 })
  await assert.rejects(findSigned(sql, upload.id), { code: 'upload_expired' })
  await assert.rejects(
    receiver.append(upload, 0, () => bytes('late')),
    { code: 'upload_expired' },
  )
  const [first, last] = bodies
  first?.end()
  await assert.rejects(first?.receiving ?? Promise.resolve(), { code: 'upload_expired' })
  assert.deepEqual(await rows(), { bytes: 100_000, uploads: 1, open: 1 })
  last?.end()
  await assert.rejects(last?.receiving ?? Promise.resolve(), { code: 'upload_expired' })
  assert.deepEqual(await rows(), { bytes: 0, uploads: 0, open: 0 })
})

test('an upload in a single call that is deleted while its bytes arrive leaves no row, quota, or stored file [uploads.delete.3]', async () => {
  const owner = { accountId: (await openAccount(sql)).id, livemode: true }
  using receiver = new UploadReceiver(sql, store, () => undefined)
  let key = ''
  const receiving = receiver.receiveWhole(owner, { size: 4 }, ALLOWANCE, async function* () {
    yield Buffer.from('four')
    const parts = await sql<{ key: string; id: string }[]>`
      select key, upload_id as id from upload_parts where account_id = ${owner.accountId}`
    const part = parts[0] ?? assert.fail()
    key = part.key
    await removeUpload(sql, store, owner, part.id)
    throw new Error('the call ended')
  })
  await assert.rejects(receiving, /the call ended/)
  const rows = await sql`
    select from upload_room where account_id = ${owner.accountId} and bytes > 0
    union all select from uploads where account_id = ${owner.accountId}`
  assert.deepEqual([rows.count, await store.size(key)], [0, undefined])
})

test('if a process dies while it receives a deleted upload, cleanup deletes the files of the upload and frees the quota [uploads.delete.4]', async () => {
  const owner = { accountId: (await openAccount(sql)).id, livemode: true }
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const upload = await receiver.begin(owner, { size: 100_000, filename: null, origin: null }, ALLOWANCE)
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const receiving = receiver.append(upload, 0, async function* () {
    yield Buffer.from('some')
    begun.resolve()
    await held.promise
  })
  await begun.promise
  await removeUpload(sql, store, owner, upload.id)
  const due = () => sql`update uploads set sweep_at = now() - interval '1 second' where id = ${upload.id}`
  await due()
  assert.equal(await deleteDueUploads(sql, store), 0, 'its process still receives')
  await sql`update upload_parts set lease_until = now() - interval '1 second' where upload_id = ${upload.id}`
  await due()
  assert.equal(await deleteDueUploads(sql, store), 1)
  held.resolve()
  await assert.rejects(receiving)
  const left = await sql`
    select from upload_room where account_id = ${owner.accountId} and bytes > 0
    union all select from uploads where account_id = ${owner.accountId}
    union all select from upload_parts where account_id = ${owner.accountId}`
  assert.equal(left.count, 0)
})

test('an upload to a signed URL of a paying account uses the slots that accounts without a payment cannot use [uploads.size.3]', async () => {
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const begin = async () => {
    const owner = { accountId: (await openAccount(sql)).id, livemode: true }
    return await receiver.begin(owner, { size: 4, filename: null, origin: null }, ALLOWANCE)
  }
  const [unpaid, paid] = [await begin(), await begin()]
  const appendTo = async (upload: Parameters<typeof receiver.append>[0]) =>
    await receiver.append(upload, 0, () => bytes('four'))
  const busy = Promise.allSettled(
    Array.from({ length: UPLOADS_AT_ONCE.unpaid }, () => appendTo({ ...unpaid, tier: 'free' })),
  )
  const rejected = assert.rejects(appendTo({ ...unpaid, tier: 'free' }), { code: 'concurrency_limited' })
  const { received } = await appendTo({ ...paid, tier: 'paid' })
  assert.equal(received, 4)
  await rejected
  await busy
})

test('a one-byte upload of unknown length counts as a whole disk block of the quota [uploads.size.5]', async () => {
  const owner = { accountId: (await openAccount(sql)).id, livemode: true }
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const { id } = await receiver.receiveWhole(owner, { size: 900_000 }, ALLOWANCE, () => bytes('x'))
  const taken = async () =>
    (await sql<{ bytes: number }[]>`select bytes from upload_room where account_id = ${owner.accountId}`)[0]?.bytes
  assert.equal(await taken(), 4_096)
  await removeUpload(sql, store, owner, id)
  assert.equal(await taken(), 0)
})

test('a short chunk is accepted if its whole disk block fits exactly into the quota [uploads.size.5]', async () => {
  const owner = { accountId: (await openAccount(sql)).id, livemode: true }
  using receiver = new UploadReceiver(sql, store, () => undefined)
  const upload = await receiver.begin(owner, { size: 5_000, filename: null, origin: null }, ALLOWANCE)
  const appendWith = (quotaBytes: number) => receiver.append({ ...upload, quotaBytes }, 0, () => bytes('four'))
  const taken = 5_000 + MIN_STORED_BYTES - 4
  await assert.rejects(appendWith(taken - 1), { code: 'upload_too_large' })
  assert.equal((await appendWith(taken)).received, 4)
})

test('cleanup corrects a used quota that differs from the total size of the uploads [uploads.size.2]', async () => {
  const [idle, busy] = [(await openAccount(sql)).id, (await openAccount(sql)).id]
  using receiver = new UploadReceiver(sql, store, () => undefined)
  await sql`insert into upload_room (account_id, livemode, bytes) values (${idle}, true, 4095), (${busy}, true, 4095)`
  await receiver.begin({ accountId: busy, livemode: true }, { size: 5_000, filename: null, origin: null }, ALLOWANCE)
  await sweepChunks(sql, store)
  const rooms = await sql<{ bytes: number }[]>`
    select bytes from upload_room where account_id in (${idle}, ${busy}) order by account_id`
  assert.deepEqual(
    rooms.map(({ bytes }) => bytes),
    [0, 5_000],
  )
})

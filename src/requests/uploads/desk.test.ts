import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { createDatabase } from '../../../test/support/database.ts'
import { openAccount } from '../../../test/support/line.ts'
import type { Runner } from '../../db/connection/connect.ts'
import { listParts } from '../../db/uploads/parts.ts'
import { ApiError } from '../../domain/errors.ts'
import { openDiskStore } from '../../store/disk.ts'
import { UploadDesk } from './desk.ts'

const ALLOWANCE = { roomBytes: 1_000 }
const database = await createDatabase()
const { sql } = database
const folder = await mkdtemp(join(tmpdir(), 'mediamill-desk-'))
const store = await openDiskStore(folder)
after(async () => {
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

test('a piece that was added stays, also when the database was lost before it said so [rulings 17]', async () => {
  // As when the database is ended between a commit and its answer.
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
  using desk = new UploadDesk(losing, store, () => undefined)
  const owner = { accountId, livemode: true }
  const upload = await desk.begin(owner, { size: 9, signed: true, filename: null, origin: null }, ALLOWANCE)
  await assert.rejects(
    desk.append(upload, 0, () => bytes('four')),
    /the answer was lost/,
  )
  const [part, ...others] = await listParts(sql, upload.id)
  assert.deepEqual([part?.size, others], [4, []])
  assert.equal(await store.size(part?.key ?? ''), 4)
})

test('a body whose lease is over by a clock that jumped is our fault: no offset was sent [rulings 17]', async () => {
  const { id: accountId } = await openAccount(sql)
  using desk = new UploadDesk(sql, store, () => undefined)
  const { id: busyId } = await openAccount(sql)
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  // What another has open at the same time is no lease of this one.
  const other = desk.receiveWhole({ accountId: busyId, livemode: true }, 4, ALLOWANCE, async function* () {
    yield Buffer.from('four')
    begun.resolve()
    await held.promise
  })
  await begun.promise
  async function* slow() {
    yield Buffer.from('four')
    await sql`update upload_parts set lease_until = now() - interval '1 hour' where account_id = ${accountId}`
  }
  const receiving = desk.receiveWhole({ accountId, livemode: true }, 4, ALLOWANCE, slow)
  await assert.rejects(receiving, (error) => !(error instanceof ApiError) && /lost its place/.test(String(error)))
  assert.equal((await sql`select from uploads where account_id = ${accountId}`).length, 0, 'nothing is left of it')
  held.resolve()
  assert.equal((await other).status, 'complete')
})

test('a digest is that of every byte that was sent: a store that gives less of a part makes no upload complete [rulings 17]', async () => {
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
  using first = new UploadDesk(sql, lying, () => undefined)
  // Another process, which has seen none of the bytes.
  using second = new UploadDesk(sql, lying, () => undefined)
  const begun = await first.begin(
    { accountId, livemode: true },
    { size: 8, signed: true, filename: null, origin: null },
    ALLOWANCE,
  )
  const half = await first.append(begun, 0, () => bytes('four'))
  const whole = await first.append(half, 4, () => bytes('more'))
  await assert.rejects(second.finishIfAll(whole), /less of a file/)
  isShort = false
  const { status, sha256 } = await second.finishIfAll(whole)
  assert.deepEqual([status, sha256], ['complete', createHash('sha256').update('fourmore').digest('hex')])
})

test('an upload in one body that is not there any more at its end is our fault: its client was told of none [rulings 17]', async () => {
  const { id: accountId } = await openAccount(sql)
  // As when a crash of the database forgets a body that was not finished.
  const forgetting = new Proxy(sql, {
    get(target, name, self) {
      if (name !== 'begin') return Reflect.get(target, name, self) as unknown
      return async (work: (tx: Runner) => Promise<unknown>) => {
        await sql`update uploads set status = 'deleting' where account_id = ${accountId} and received > 0`
        return await sql.begin(work)
      }
    },
  })
  using desk = new UploadDesk(forgetting, store, () => undefined)
  const receiving = desk.receiveWhole({ accountId, livemode: true }, 4, ALLOWANCE, () => bytes('four'))
  await assert.rejects(receiving, (error) => !(error instanceof ApiError) && /lost its place/.test(String(error)))
})

test('a digest begins anew at the first byte alone: what another process received is read again [rulings 17]', () => {
  using desk = new UploadDesk(sql, store, () => undefined)
  assert.equal(desk.takeSummary('upl_none', 0)?.bytes, 0)
  assert.equal(desk.takeSummary('upl_none', 1), undefined)
  assert.equal(desk.takeSummary('upl_none', 4), undefined)
})

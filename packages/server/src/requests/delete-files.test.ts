import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { accept } from './accept.ts'
import { claim } from './claim.ts'
import { expire } from './cleanup/expire.ts'
import { deleteFiles } from './delete-files.ts'
import { settle } from './settle.ts'

const { sql } = await sharedDatabase()

test("if the store cannot delete files, the client's delete call succeeds, and a worker deletes the files later [requests.delete_files.2]", async () => {
  const account = await openAccount(sql)
  const { id } = await accept(sql, acceptable(account.id))
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken && (await settle(sql, taken.lease, succeeded(), RETENTION_MS)))
  const away = new Error('the store is away')
  const { request, stuck } = await deleteFiles(sql, account.id, id, () => Promise.reject(away))
  assert.equal(stuck, away)
  assert.ok(request.status === 'succeeded' && request.deletedAt !== null && request.deletedAt <= new Date())
  assert.equal(await expire(sql, () => Promise.resolve()), 0, 'the call has its time first')
  await sql`update requests set sweep_at = now() where id = ${id} and sweep_at < now() + interval '1 minute'`
  const deleted: string[] = []
  assert.equal(await expire(sql, (key) => Promise.resolve(void deleted.push(key))), 1)
  assert.deepEqual(
    deleted,
    request.files.map(({ key }) => key),
  )
  const again = await deleteFiles(sql, account.id, id, () => Promise.reject(away))
  assert.deepEqual([again.stuck, again.request], [undefined, request])
})

test("a worker does not delete files again that the client's delete call has already deleted [requests.delete_files.2]", async () => {
  const account = await openAccount(sql)
  const { id } = await accept(sql, acceptable(account.id))
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken && (await settle(sql, taken.lease, succeeded(), RETENTION_MS)))
  const deleted: string[] = []
  const deleteFile = (key: string) => Promise.resolve(void deleted.push(key))
  const { request, stuck } = await deleteFiles(sql, account.id, id, deleteFile)
  assert.equal(stuck, undefined)
  await sql`update requests set sweep_at = now() where id = ${id} and sweep_at is not null`
  assert.equal(await expire(sql, deleteFile), 0)
  assert.ok(request.status === 'succeeded')
  assert.deepEqual(
    deleted,
    request.files.map(({ key }) => key),
  )
})

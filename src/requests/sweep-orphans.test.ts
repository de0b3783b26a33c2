import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase } from '../../test/support/database.ts'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '../../test/support/line.ts'
import { openDiskStore } from '../store/disk.ts'
import { accept } from './accept.ts'
import { claim } from './claim.ts'
import { expire } from './expire.ts'
import { settle } from './settle.ts'
import { sweepOrphans } from './sweep-orphans.ts'

const database = await createDatabase()
const { sql } = database
const folder = await mkdtemp(join(tmpdir(), 'mediamill-orphans-'))
const store = await openDiskStore(join(folder, 'results'))
after(async () => {
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function stored(): Promise<string> {
  const path = join(folder, 'result')
  await writeFile(path, 'ten bytes.')
  return await store.put(path, 'jpg')
}

/** A request that succeeded with this file. */
async function finishWith(key: string): Promise<void> {
  const account = await openAccount(sql)
  await accept(sql, acceptable(account.id))
  const found = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(found)
  const file = { key, format: 'jpg', size: 10, sha256: 'ab' } as const
  const outcome = succeeded()
  assert.ok(outcome.status === 'succeeded')
  await settle(sql, found.held, { ...outcome, files: [file] }, RETENTION_MS)
}

test('files that no request has are deleted once they are old, and those of requests are kept [4.3]', async () => {
  const kept = await stored()
  await finishWith(kept)
  const orphan = await stored()
  assert.equal(await sweepOrphans(sql, store, new Date(Date.now() - 60_000)), 0, 'a young file may yet get its request')
  assert.equal(await store.size(orphan), 10)
  assert.equal(await sweepOrphans(sql, store, new Date(Date.now() + 60_000)), 1)
  assert.equal(await store.size(orphan), undefined)
  assert.equal(await store.size(kept), 10)
})

test('a file that outlived the deletion of its result is an orphan too [4.3]', async () => {
  const key = await stored()
  await finishWith(key)
  await sql`update requests set deleted_at = now() where files ->0->> 'key' = ${key}`
  await expire(sql, () => Promise.resolve())
  assert.equal(await store.size(key), 10)
  assert.equal(await sweepOrphans(sql, store, new Date(Date.now() + 60_000)), 1)
  assert.equal(await store.size(key), undefined)
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { openDiskStore } from '../../store/disk.ts'
import { accept } from '../accept.ts'
import { claim } from '../claim.ts'
import type { Lease } from '../settle.ts'
import { settle } from '../settle.ts'
import { expire } from './expire.ts'
import { isTurnToSweepOrphans, sweepOrphans } from './sweep-orphans.ts'

const { sql } = await sharedDatabase()
const folder = await sharedFolder('mediamill-orphans-')
const store = await openDiskStore(join(folder, 'results'))

async function working() {
  const account = await openAccount(sql)
  await accept(sql, acceptable(account.id))
  const found = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(found)
  const path = join(folder, 'result')
  await writeFile(path, 'ten bytes.')
  return { lease: found.lease, key: await store.put(path, 'jpg', found.lease.id) }
}

async function finish({ lease, key }: { lease: Lease; key: string }): Promise<void> {
  const file = { key, format: 'jpg', size: 10, sha256: 'ab' } as const
  const outcome = succeeded()
  assert.ok(outcome.status === 'succeeded')
  await settle(sql, lease, { ...outcome, files: [file] }, RETENTION_MS)
}

const afterMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

test('the orphan sweep deletes old files without a request, and keeps files of requests', async () => {
  const kept = await working()
  await finish(kept)
  const orphan = await working()
  assert.equal(await sweepOrphans(sql, store, afterMinutes(-1)), 0, 'a young file may yet get its request')
  assert.equal(await store.size(orphan.key), 10)
  assert.equal(await sweepOrphans(sql, store, afterMinutes(1)), 1)
  assert.equal(await store.size(orphan.key), undefined)
  assert.equal(await store.size(kept.key), 10)
})

test('the orphan sweep deletes each orphan once, even if there are more files than one query checks', async () => {
  const all = Array.from({ length: 2_500 }, (_, index) => `${index.toString(16).padStart(40, '0')}.jpg`)
  const deleted: string[] = []
  const many = {
    async *keys() {
      yield* all
    },
    delete: async (key: string) => void deleted.push(key),
  }
  assert.equal(await sweepOrphans(sql, many, afterMinutes(1)), 2_500)
  assert.deepEqual(deleted.toSorted(), all)
})

test('the orphan sweep deletes a file that a lost attempt of a request stored, even if another attempt completed the request', async () => {
  const lost = await working()
  const path = join(folder, 'again')
  await writeFile(path, 'ten bytes.')
  const again = { lease: lost.lease, key: await store.put(path, 'jpg', lost.lease.id) }
  await finish(again)
  assert.equal(await sweepOrphans(sql, store, afterMinutes(1)), 1)
  assert.deepEqual([await store.size(lost.key), await store.size(again.key)], [undefined, 10])
})

test('the orphan sweep deletes a file that remains in the store after its result was deleted', async () => {
  const request = await working()
  await finish(request)
  await sql`update requests set sweep_at = now() where id = ${request.lease.id}`
  await expire(sql, () => Promise.resolve())
  assert.equal(await store.size(request.key), 10)
  assert.equal(await sweepOrphans(sql, store, afterMinutes(1)), 1)
  assert.equal(await store.size(request.key), undefined)
})

test('the orphan sweep deletes a file whose request is not in the database, for example after a restored backup', async () => {
  const path = join(folder, 'stranger')
  await writeFile(path, 'ten bytes.')
  const key = await store.put(path, 'jpg', Number.MAX_SAFE_INTEGER as RequestId)
  assert.equal(await sweepOrphans(sql, store, afterMinutes(1)), 1)
  assert.equal(await store.size(key), undefined)
})

test('in each six-hour round, exactly one of several workers searches the store for orphans', async () => {
  const ask = async () =>
    (await Promise.all(Array.from({ length: 8 }, () => isTurnToSweepOrphans(sql)))).filter(Boolean)
  assert.equal((await ask()).length, 0, 'the first round is not over')
  await sql`update rounds set due_at = now()`
  assert.equal((await ask()).length, 1)
  assert.equal((await ask()).length, 0)
})

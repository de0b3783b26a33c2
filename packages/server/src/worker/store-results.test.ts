import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { pino } from 'pino'
import { openDiskStore } from '../store/disk.ts'
import { storeResults } from './store-results.ts'

test('if one result file cannot be stored, the stored files of the same attempt are deleted', async () => {
  const folder = await sharedFolder('store-results-')
  const store = await openDiskStore(join(folder, 'store'))
  await writeFile(join(folder, 'made'), 'made')
  const files = ['made', 'missing'].map((name) => ({
    path: join(folder, name),
    format: 'png' as const,
    size: 4,
    sha256: '',
  }))
  const { signal } = new AbortController()
  const attempt = { requestId: 4711 as RequestId, signal, log: pino({ level: 'silent' }) }
  await assert.rejects(storeResults(store, files, attempt), { code: 'ENOENT' })
  assert.deepEqual(await Array.fromAsync(store.keys(new Date(Date.now() + 3_600_000))), [])
})

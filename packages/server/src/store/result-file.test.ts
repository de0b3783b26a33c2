import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { openResult } from './result-file.ts'

const root = await sharedFolder('result-test-')

test('opens a plain file, and rejects links, folders, and pipes', async () => {
  const path = (name: string) => join(root, name)
  await writeFile(path('plain'), 'a result')
  await writeFile(path('secret'), 'ours')
  await link(path('secret'), path('hard'))
  await symlink(path('plain'), path('soft'))
  await mkdir(path('folder'))
  execFileSync('mkfifo', [path('pipe')])
  {
    using plain = openResult(path('plain'))
    assert.equal(readFileSync(plain.fd, 'utf8'), 'a result')
  }
  // Through the link, the plain file would pass for a result.
  assert.throws(() => openResult(path('soft')), { code: 'ELOOP' })
  for (const name of ['hard', 'folder', 'pipe']) assert.throws(() => openResult(path(name)), /not a plain file/, name)
})

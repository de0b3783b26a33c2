import assert from 'node:assert/strict'
import { link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { EngineResultFile } from '@mediamill/engines/protocol/messages'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { findBadResult } from './engine-results.ts'

const root = await sharedFolder('mediamill-results-')

const folder = join(root, 'job')
await mkdir(join(folder, 'inner'), { recursive: true })
const at = (...parts: string[]) => join(folder, ...parts)
await writeFile(at('result'), 'twelve bytes')
await writeFile(join(root, 'ours'), 'twelve bytes')
await writeFile(at('inner', 'result'), 'twelve bytes')
await symlink('ours', at('soft'))
await link(join(root, 'ours'), at('hard'))

const file = (path: string, size = 12): EngineResultFile => ({ path, format: 'png', size, sha256: '0'.repeat(64) })

test('the worker accepts only a regular file directly in the job folder, with the reported size', () => {
  assert.equal(findBadResult([file(at('result'))], folder), undefined)
  assert.equal(findBadResult([], folder), undefined)
})

test('each kind of file that an engine must not return is rejected with its own error message', () => {
  for (const [path, size, why] of [
    [join(root, 'elsewhere', '..', 'ours'), 12, /outside the job folder/],
    [join(root, 'ours'), 12, /outside the job folder/],
    [at('inner', 'result'), 12, /outside the job folder/],
    [at('result\0'), 12, /outside the job folder/],
    [at('missing'), 12, /does not exist/],
    // The size of a symbolic link is the length of its target's path.
    [at('soft'), 4, /not a regular file/],
    [at('inner'), 4096, /not a regular file/],
    [at('hard'), 12, /second hard link/],
    [at('result'), 11, /12 bytes that was reported as 11/],
  ] as const) {
    assert.match(findBadResult([file(path, size)], folder) ?? 'none', why, path)
  }
  assert.match(findBadResult([file(at('result')), file(at('result'))], folder) ?? 'none', /one file named as two/)
})

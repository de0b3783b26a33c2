import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from './shared.ts'

/** A test file that hangs after its test: its hook waits for a mocked timer, and a server stays open. */
const HANGING = `
import { createServer } from 'node:net'
import { after, mock, test } from 'node:test'
after(async () => {
  await new Promise((resolve) => setTimeout(resolve, 10))
})
test('passes', () => {
  mock.timers.enable()
  createServer().listen(0, '127.0.0.1')
})
`

test('a test file with a hook that never ends is killed at the time limit, and the error names the file', async () => {
  const path = join(await sharedFolder('mediamill-file-limit-'), 'hanging.test.ts')
  writeFileSync(path, HANGING)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = ['--import', join(import.meta.dirname, 'file-limit.ts'), '--test', path]
  const ran = spawnSync(process.execPath, args, {
    env: { ...env, TEST_FILE_LIMIT_MS: '3000' },
    encoding: 'utf8',
    timeout: 40_000,
  })
  assert.deepEqual([ran.error, ran.status], [undefined, 1])
  assert.match(ran.stdout + ran.stderr, /hanging\.test\.ts did not end within 3 s/)
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from './shared.ts'

const folder = await sharedFolder('mediamill-file-limit-')

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

const WAITING = `
import { test } from 'node:test'
import { until } from '${new URL('process.ts', import.meta.url).href}'
const state = 'queued'
test('waits', async () => {
  await until(() => true)
  await until(() => state === 'succeeded')
})
`

function outputOf(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = ['--import', join(import.meta.dirname, 'file-limit.ts'), '--test', path]
  const ran = spawnSync(process.execPath, args, {
    env: { ...env, TEST_FILE_LIMIT_MS: '3000' },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.deepEqual([ran.error, ran.status], [undefined, 1])
  return ran.stdout + ran.stderr
}

test('a test file with a hook that never ends is killed at the time limit, and the error names the file', () => {
  const output = outputOf('hanging.test.ts', HANGING)
  assert.match(output, /hanging\.test\.ts did not end within 3 s/)
  assert.doesNotMatch(output, /waits for/)
})

test('if a test file ends at the time limit, the error contains each condition that the file waits for, and its line', () => {
  const waits = outputOf('waiting.test.ts', WAITING).split('It waits for ').slice(1)
  assert.equal(waits.length, 1)
  assert.match(waits[0] ?? '', /^Error: \(\) => state === 'succeeded'\n[^]*waiting\.test\.ts:7:/)
})

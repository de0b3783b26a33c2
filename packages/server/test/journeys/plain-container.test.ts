import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { IN_PLAIN_CONTAINER } from '@mediamill/lab/support/sandbox-of-host'
import { sharedFolder } from '@mediamill/lab/support/shared'

const root = join(import.meta.dirname, '../../../..')
const samples = join(root, 'packages/server/src/outbound/fetch/samples')
const folder = await sharedFolder('mediamill-plain-')

async function processSamples(words: readonly string[], isolation: string): Promise<Record<string, string>> {
  const out = join(folder, isolation)
  const sources = ['phone.heic', 'animation.gif', 'report.pdf', 'clip.mp4'].map((name) => join(samples, name))
  const args = ['process', '--local', ...sources, '--watermark', `${join(samples, 'logo.png')},10,10`, '-o', `${out}/`]
  const [file = '', ...rest] = [...words, process.execPath, join(root, 'packages/server/src/main.ts'), ...args]
  const env = { PATH: '/usr/bin:/bin', HOME: folder, ISOLATION: isolation }
  const running = promisify(execFile)(file, rest, { env })
  running.child.stdin?.end()
  await running
  const names = await readdir(out)
  const hashes = names.map(async (name) => [
    name,
    createHash('sha256')
      .update(await readFile(join(out, name)))
      .digest('hex'),
  ])
  return Object.fromEntries(await Promise.all(hashes))
}

test('in a plain container, engines need no user namespaces, and give the same results as without a sandbox', async (t) => {
  const [file = '', ...args] = IN_PLAIN_CONTAINER
  if (spawnSync(file, [...args, 'true']).status !== 0) return t.skip('this host lets no test make a user namespace')
  const version = ['perl', '-e', 'exit(syscall(444, 0, 0, 1) < 1)']
  if (spawnSync(file, [...args, ...version]).status !== 0) return t.skip('this kernel has no Landlock')
  const results = await processSamples(IN_PLAIN_CONTAINER, 'require-sandbox')
  assert.deepEqual(Object.keys(results).toSorted(), ['animation.jpg', 'clip.mp4', 'phone.jpg', 'report.pdf'])
  assert.deepEqual(results, await processSamples([], 'process'))
})

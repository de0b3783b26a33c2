import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('if a test server is not installed, its tests are skipped, or fail with REQUIRE_SERVERS=1', () => {
  const program = `
    const { whyNo } = await import('${join(root, 'lab/support/skip-reason.ts')}')
    try { console.log(whyNo('haproxy')) } catch (error) { console.log('throws', error.message) }`
  const statusOf = (required: string) => {
    const env = { PATH: '/nowhere', REQUIRE_SERVERS: required }
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', env })
    return stdout
  }
  assert.match(statusOf('0'), /^haproxy is not installed/)
  assert.match(statusOf('1'), /^throws haproxy is not installed/)
})

test('if a package is not available, the scripts that install test servers fail with REQUIRE_SERVERS=1', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-scripts-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
  await mkdir(join(folder, 'bin'))
  // With this `npm`, no program is installed, and no package can be installed.
  await writeFile(join(folder, 'bin/npm'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const statusOf = (script: string, path: string, required: string) =>
    spawnSync('/bin/bash', [join(folder, 'scripts', script)], { env: { PATH: path, REQUIRE_SERVERS: required } }).status
  for (const [script, path] of [
    ['install-helm.sh', `${join(folder, 'bin')}:/usr/bin:/bin`],
    ['install-test-servers.sh', '/nowhere'],
  ] as const)
    assert.deepEqual([statusOf(script, path, '0'), statusOf(script, path, '1')], [0, 1], script)
  assert.equal(
    spawnSync('/bin/bash', [join(folder, 'scripts/test-on-postgresql.sh'), '1'], {
      env: { PATH: '/usr/bin:/bin', REQUIRE_SERVERS: '1' },
    }).status,
    1,
  )
})

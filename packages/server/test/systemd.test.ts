import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { freePort, run, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { skipReason } from '@mediamill/lab/support/skip-reason'

const root = join(import.meta.dirname, '../../..')
const shipped = join(root, 'deploy/systemd')
const units = readdirSync(shipped).filter((name) => name.endsWith('.service'))
const read = (name: string) => readFileSync(join(shipped, name), 'utf8')

const INSTALLED = '/opt/mediamill/node_modules/.bin/mediamill'

/** The maximum rating of `systemd-analyze security`. Ratings go from 0 to 100; an unprotected unit has 96. */
const MAX_EXPOSURE = 35

const hasSystemd = spawnSync('systemd-analyze', ['--version']).error === undefined
const options = { skip: hasSystemd ? false : skipReason('systemd is not installed: scripts/install-test-servers.sh') }

test('systemd accepts each unit without a warning, and gives it a good security rating', options, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-units-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const unit of units) {
    const file = join(folder, unit)
    writeFileSync(file, read(unit).replaceAll(INSTALLED, join(root, 'bin/mediamill')))
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    // Ignore warnings about units of this machine.
    const own = verified.stderr.split('\n').filter((line) => line.includes(unit.replace(/@?\.service/, '')))
    assert.deepEqual(own, [], unit)
    const rated = ['security', '--offline=yes', `--threshold=${MAX_EXPOSURE}`, '--no-pager', file]
    const { status, stdout } = spawnSync('systemd-analyze', rated, { encoding: 'utf8' })
    assert.equal(status, 0, `${unit}: ${stdout.trim().split('\n').at(-1)}`)
  }
})

const valuesOf = (text: string, name: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1))

test('systemd restarts a worker that fails, but not a worker that an operator drained', () => {
  // A drained worker exits with 0.
  assert.deepEqual(valuesOf(read('mediamill-worker@.service'), 'Restart'), ['on-failure'])
})

function readUnit(name: string, instance: string): { args: string[]; environment: Record<string, string> } {
  const text = read(name).replaceAll('%i', instance)
  const [command = ''] = valuesOf(text, 'ExecStart')
  assert.equal(command.split(' ')[0], INSTALLED, name)
  const pairs = [
    ...read('mediamill.env').split('\n'),
    ...valuesOf(text, 'Environment').flatMap((line) => line.split(' ')),
  ]
    .filter((line) => /^[A-Z_]+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1).replaceAll('"', '')])
  return { args: command.split(' ').slice(1), environment: Object.fromEntries(pairs) }
}

test('each systemd unit runs its command with the settings in mediamill.env', { timeout: 120_000 }, async (t) => {
  await using database = await createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-units-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const url = database.url
  const own = { DATABASE_URL: url, DATABASE_LISTEN_URL: url, MIGRATE_DATABASE_URL: url, SECRET_KEY, STORAGE_URL: '' }
  assert.equal(units.length, 3)
  for (const unit of units) {
    const { args, environment } = readUnit(unit, String(await freePort()))
    const dataDir = environment['DATA_DIR']?.replace('/var/lib', folder) ?? ''
    mkdirSync(dataDir, { recursive: true })
    // The test machine may not support a sandbox, and sandboxes have their own tests.
    const isolation = environment['ISOLATION'] === undefined ? {} : { ISOLATION: 'process' }
    const running = run(args, { ...environment, ...own, ...isolation, DATA_DIR: dataDir, HOST: '127.0.0.1' })
    if (unit.includes('@')) {
      await until(() => / is ready"/.test(running.out()) || running.child.exitCode !== null)
      running.child.kill('SIGTERM')
    }
    assert.equal(await running.ended, 0, `${unit}: ${running.out()} ${running.err()}`)
  }
})

test('the upgrade in the systemd guide replaces the program and the units, and keeps the settings', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-upgrade-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const path of ['bin', 'opt', 'etc/mediamill', 'etc/systemd/system'])
    mkdirSync(join(folder, path), { recursive: true })
  const settings = join(folder, 'etc/mediamill/mediamill.env')
  writeFileSync(settings, 'SECRET_KEY=own\n')
  const stubs = {
    npm: `mkdir -p "$3/node_modules/mediamill" && cp -r "${join(root, 'deploy')}" "$3/node_modules/mediamill/"`,
    systemctl: '',
  }
  for (const [name, code] of Object.entries(stubs)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${code}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  const page = readFileSync(join(root, 'docs/operate/fleet.md'), 'utf8')
  assert.match(page, /To upgrade, install the new version on each machine with the first block of step 2/)
  const [, step = ''] = page.split('### 2. Program')
  const [, block = ''] = /```sh\n([^`]*)```/.exec(step) ?? []
  const code = block.replace(/(?<![\w.])\/(?=opt|etc)/g, `${folder}/`)
  const ran = spawnSync('sh', ['-ec', code], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
  })
  assert.equal(ran.status, 0, ran.stderr)
  assert.equal(readFileSync(settings, 'utf8'), 'SECRET_KEY=own\n')
  assert.deepEqual(readdirSync(join(folder, 'etc/systemd/system')).sort(), units.toSorted())
})

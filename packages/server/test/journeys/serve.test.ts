import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createDatabase } from '@mediamill/lab/support/database'
import type { Run } from '@mediamill/lab/support/process'
import { freePort, listens, run } from '@mediamill/lab/support/process'
import sharp from 'sharp'
import { accountWith, databaseOf, find, folder, serve } from './serve-fixture.ts'

const execute = promisify(execFile)

const signIn = (link: string, port: number) =>
  fetch(`http://127.0.0.1:${port}/console/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: link.split('#token=')[1] }),
  })

async function environmentsOf({ child, pidsOf }: Run): Promise<string> {
  const pids = [child.pid, ...pidsOf('api'), ...pidsOf('worker')]
  assert.ok(pids.length > 2)
  return (await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8')))).join('\n')
}

describe('mediamill serve', { concurrency: 2 }, () => {
  test('mediamill serve starts with SECRET_KEY and DATABASE_URL from files, whose content is in no process’s environment', async () => {
    await using database = await createDatabase()
    const settings = { SECRET_KEY: 'a secret key of more than 32 characters', DATABASE_URL: database.url }
    const files = await Promise.all(
      Object.entries(settings).map(async ([name, text]): Promise<[string, string]> => {
        const path = join(folder, `${name}.txt`)
        await writeFile(path, `${text}\n`)
        return [`${name}_FILE`, path]
      }),
    )
    const port = await freePort()
    const service = await serve('files', port, Object.fromEntries(files))
    for (const text of Object.values(settings)) assert.ok(!(await environmentsOf(service)).includes(text))
    const key = find(service.out(), /svc_live_\w+/)
    assert.equal((await accountWith(key, port)).status, 200)
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  test('the first start prints an account once, SIGTERM exits with 0, and the next start keeps the account [operator.start.2, operator.stop.1]', async () => {
    const port = await freePort()
    const first = await serve('first', port)
    const key = find(first.out(), /svc_live_\w+/)
    find(first.out(), /svc_test_\w+/)
    find(first.out(), /whsec_\S+/)
    const curl = find(first.out(), /^curl .*$/m)
    await execute('sh', ['-c', curl], { cwd: join(folder, 'first') })
    const { width, height, format } = await sharp(join(folder, 'first', 'result.jpg')).metadata()
    assert.deepEqual([width, height, format], [400, 267, 'jpeg'])
    const credit = find(first.out(), /DATA_DIR=.*25\.00$/m).replace(
      'npx mediamill',
      `${process.execPath} ${join(import.meta.dirname, '../../src/main.ts')}`,
    )
    assert.match((await execute('sh', ['-c', credit], { env: {} })).stdout, /balance +\$26\.00/)
    assert.equal(first.out().match(/database schema created/g)?.length, 1)
    assert.doesNotMatch(first.out(), /migration (?:started|applied)/)
    assert.ok(first.out().includes(` http://127.0.0.1:${port}/docs\n`))
    assert.equal((await accountWith(key, port)).status, 200)
    const link = find(first.out(), /http:\/\/127\.0\.0\.1:\d+\/console\/#token=[\w-]{43}/)
    const session = (await (await signIn(link, port)).json()) as { kind: string; account: { id: number } }
    assert.deepEqual([session.kind, session.account.id], ['operator', 1001])
    const secret = join(folder, 'first', 'secret-key')
    assert.equal((await stat(secret)).mode & 0o777, 0o600)
    const ownKey = (await readFile(secret, 'utf8')).trim()
    assert.ok(ownKey.length >= 32)
    assert.ok(!(await environmentsOf(first)).includes(ownKey))
    first.child.kill('SIGTERM')
    assert.equal(await first.ended, 0)
    assert.deepEqual([await listens(port), await listens(databaseOf('first'))], [false, false])

    const second = await serve('first', port)
    assert.equal((await accountWith(key, port)).status, 200)
    assert.doesNotMatch(second.out(), /svc_|whsec_/)
    second.child.kill('SIGINT')
    assert.equal(await second.ended, 0)
  })

  test('with FIRST_ACCOUNT=file, the first account is written to a file with mode 0600, and no secret is in the log [operator.start.2]', async () => {
    const port = await freePort()
    const ofApi = {
      STRIPE_SECRET_KEY: 'sk_test_12345678',
      STRIPE_WEBHOOK_SECRET: 'whsec_12345678',
      SMTP_URL: 'smtp://mailer:hunter2@127.0.0.1:2525',
    }
    const service = await serve('quiet', port, { FIRST_ACCOUNT: 'file', FOREIGN_TOKEN: 'x', ...ofApi })
    for (const role of process.platform === 'linux' ? (['api', 'worker'] as const) : [])
      for (const pid of service.pidsOf(role)) {
        const environment = await readFile(`/proc/${pid}/environ`, 'utf8')
        assert.match(environment, /DATABASE_URL=/)
        assert.doesNotMatch(environment, /FOREIGN/, `${role} has a variable that it does not need`)
        if (role === 'worker')
          assert.doesNotMatch(environment, /STRIPE|SMTP|hunter2/, 'a worker has no secrets of the API')
      }
    const path = join(folder, 'quiet', 'first-account.json')
    assert.ok(service.out().includes(path))
    assert.doesNotMatch(service.out(), /svc_|whsec_|#token=/)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    const account = JSON.parse(await readFile(path, 'utf8'))
    assert.deepEqual(Object.keys(account), [
      'base_url',
      'account',
      'live_key',
      'test_key',
      'webhook_secret',
      'console_url',
    ])
    assert.equal((await accountWith(account.live_key, port)).status, 200)
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  test('a data folder or port that is in use ends the start with a one-line error [operator.start.4]', async () => {
    const port = await freePort()
    const service = await serve('taken', port)
    const sameFolder = run(['serve'], { DATA_DIR: join(folder, 'taken'), PORT: String(await freePort()) })
    assert.equal(await sameFolder.ended, 1)
    assert.match(sameFolder.err(), /^mediamill: Another mediamill serve is running on \S+\/taken: .*\n$/)
    assert.equal(sameFolder.out(), '')
    const samePort = run(['serve'], { DATA_DIR: join(folder, 'other'), PORT: String(port), LOG_LEVEL: 'silent' })
    assert.equal(await samePort.ended, 1)
    assert.match(samePort.err(), new RegExp(`^mediamill: 127\\.0\\.0\\.1, port ${port} is in use: .*$`, 'm'))
    assert.doesNotMatch(samePort.out(), /svc_|curl/, 'no keys of a service that does not run')
    assert.equal(await listens(databaseOf('other')), false)
    const metrics = { DATA_DIR: join(folder, 'other'), PORT: String(await freePort()), METRICS_PORT: String(port) }
    const sameMetrics = run(['serve'], { ...metrics, LOG_LEVEL: 'silent' })
    assert.equal(await sameMetrics.ended, 1)
    assert.match(sameMetrics.err(), /^mediamill: 127\.0\.0\.1, port \d+ is in use: choose another METRICS_PORT, .*$/m)
    assert.equal(await listens(port), true)
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
  })

  test('a wrong or missing setting or an unusable folder ends the start with one line and exit code 1 [operator.settings.2]', async () => {
    await writeFile(join(folder, 'file'), '')
    const cases: [settings: Record<string, string>, line: RegExp][] = [
      [{ RETENTION: 'long' }, /^mediamill: RETENTION is "long"; it must be .*\n$/],
      [{ DATA_DIR: join(folder, 'file', 'data') }, /^mediamill: The data folder \S+ cannot be created or written.*\n$/],
      [
        { DATA_DIR: '/proc/mediamill' },
        /^mediamill: The data folder \/proc\/mediamill cannot be created or written.*\n$/,
      ],
      [{ DATABASE_URL: 'postgres://mill@127.0.0.1/mill' }, /^mediamill: SECRET_KEY must be set.*\n$/],
    ]
    for (const [settings, line] of cases) {
      const service = run(['serve'], settings)
      assert.equal(await service.ended, 1)
      assert.match(service.err(), line)
      assert.equal(service.out(), '')
    }
  })

  test('wrong usage of a command exits with 2, and the help of a command exits with 0 [operator.commands.1]', async () => {
    const ends = [['nonsense'], ['serve', '--fast'], ['--help'], ['serve', '--help']].map((args) => run(args).ended)
    assert.deepEqual(await Promise.all(ends), [2, 2, 0, 0])
    for (const role of ['serve', 'api', 'worker']) {
      const help = run([role, '--help'])
      assert.equal(await help.ended, 0)
      assert.match(help.out(), new RegExp(`DATABASE_URL +External PostgreSQL[^]*Example:\\n {2}.* mediamill ${role}`))
    }
  })
})

test('mediamill demo leaves only one file: the resized image with the logo', async () => {
  const file = join(folder, 'demo.jpg')
  const demo = run(['demo', '--out', file, '--json'])
  assert.equal(await demo.ended, 0, demo.err())
  assert.deepEqual(JSON.parse(demo.out()).file, file)

  const image = sharp(file)
  const { width, height, format } = await image.metadata()
  assert.deepEqual([width, height, format], [1200, 800, 'jpeg'])
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)]
  const near = (actual: number[], expected: number[]) =>
    assert.ok(
      actual.every((value, channel) => Math.abs(value - (expected[channel] ?? 0)) <= 12),
      `${actual.join()} is not near ${expected.join()}`,
    )
  near(at(1080, 710), [250, 250, 250])
  near(at(755, 424), [255, 250, 226])
  near(at(600, 795), [13, 15, 30])
})

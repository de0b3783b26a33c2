import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { readCodeBlocks } from '@mediamill/lab/support/code-blocks'
import { createDatabase } from '@mediamill/lab/support/database'
import { freePort } from '@mediamill/lab/support/process'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import type { Service } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import type { ShellOptions } from '@mediamill/lab/support/shell'
import { runShell as pasteInto } from '@mediamill/lab/support/shell'
import { joinKeyRing } from '@mediamill/server/accounts/key-ring'
import { fingerprintOf } from '@mediamill/server/lib/key-fingerprint'
import sharp from 'sharp'

const root = join(import.meta.dirname, '../../../..')
const blocks = readCodeBlocks().filter(({ language, page }) => language === 'sh' && !page.startsWith('docs/recipes/'))

/** Code blocks that another test or script runs, by page and number. */
const ELSEWHERE: Record<string, string> = {
  'docs/start.md 1': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/start.md 2': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/start.md 3': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/uploads.md *': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/images.md *': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/text-watermarks.md *': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/waiting.md 1': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/waiting.md 2': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/waiting.md 3': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/waiting.md 5': 'packages/server/test/journeys/code-blocks.test.ts',
  'docs/retries.md *': 'packages/server/test/journeys/code-blocks.test.ts',
  'README.md 1': '.ci/run',
  'README.md 2': 'packages/server/test/journeys/code-blocks.test.ts',
  'README.md 3': 'packages/server/test/journeys/code-blocks.test.ts',
  'README.md 4': 'packages/server/test/journeys/code-blocks.test.ts',
  'README.md 6': '.ci/run',
  'CONTRIBUTING.md 1': '.ci/run',
  'docs/operate/install.md 1': '.ci/run',
  'docs/operate/install.md 2': 'scripts/try-package.sh',
  'docs/webhooks.md 1': 'packages/server/test/journeys/webhooks-page.test.ts',
  'packages/cli/README.md *': 'scripts/try-cli.ts',
  'packages/sdk/README.md 1': 'scripts/try-sdk.ts',
}

/** Code blocks that no test can run, with the reason. */
const NOT_RUN: Record<string, string> = {
  'CONTRIBUTING.md 2': 'it runs tests and formats this checkout; packages/server/test/docs.test.ts checks the names',
  'docs/contributing/add-an-operation.md *':
    'it writes files of this checkout; packages/server/test/docs.test.ts checks the paths',
  'docs/contributing/migrations.md *': 'it runs tests; packages/server/test/docs.test.ts checks the paths',
  'docs/performance.md *': 'each line is a measurement of minutes that needs a machine of its own',
  'docs/webhooks.md 2': 'it runs until Ctrl-C; packages/server/src/commands/operate.test.ts runs it',
  'docs/operate/monitoring.md 1':
    'it judges a service by its real keys; packages/server/test/journeys/conformance.test.ts runs it',
  'docs/operate/backup-and-upgrade.md 4':
    'it needs a restored copy; packages/server/src/commands/restore-check.test.ts runs the command',
  'docs/operate/backup-and-upgrade.md 5':
    'it needs a production server with replication; npm run chaos -- --restore does the same',
  'docs/operate/backup-and-upgrade.md 6': 'it creates a PostgreSQL cluster of Debian on the machine',
  'docs/operate/backup-and-upgrade.md 7':
    'it needs Stripe; packages/server/src/commands/administration/reconcile.test.ts runs it on a local server',
  'docs/operate/backup-and-upgrade.md 8':
    'it books a payment of Stripe; packages/server/test/journeys/console/payments.test.ts books the same reference',
  'docs/operate/backup-and-upgrade.md 10':
    'it needs pg_dump 18 and the folder of a service that runs; block 3 is the same with DATABASE_URL',
  'docs/operate/backup-and-upgrade.md 9':
    'it runs on the database of a service; packages/server/src/commands/migrate.test.ts runs both commands',
  'docs/operate/fleet.md *':
    'it needs Docker, systemd, or a cluster; deploy.test.ts, systemd.test.ts, and helm.test.ts in packages/server/test check the files and run the commands of the units, and lab/production starts the same fleet',
  'docs/operate/install.md 3': 'it needs a Docker daemon; the job image of CI builds the same',
  'docs/operate/database.md 1': 'it creates a role as a superuser; all tests run with a DATABASE_URL',
  'docs/operate/scaling.md 2': 'it measures a machine for minutes; lab/load.ts is the same as for a release',
  'docs/operate/scaling.md 1':
    'it needs a fleet; packages/server/test/journeys/worker-drain.test.ts runs both commands',
  'docs/operate/object-storage.md 1':
    'it needs a bucket of AWS; packages/server/src/commands/doctor/examine.test.ts runs the command',
}

const named = blocks.map((block) => {
  const number = blocks.filter(({ page, line }) => page === block.page && line <= block.line).length
  return { ...block, name: `${block.page} ${number}` }
})
const planOf = (plan: Record<string, string>, { name, page }: { name: string; page: string }) =>
  plan[name] ?? plan[`${page} *`]

const folder = await mkdtemp(join(tmpdir(), 'mediamill-shell-'))
const working = await startService()
const waiting = await startService({ workers: false })
after(async () => {
  await Promise.all([working, waiting].map((service) => service[Symbol.asyncDispose]()))
  await rm(folder, { recursive: true, force: true })
})

const CLIENT = `exec "${process.execPath}" "${join(root, 'packages/cli/src/main.ts')}" "$@"`
const CURL = `exec ${spawnSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).stdout.trim()} "$@"`
const SERVER = `exec "${process.execPath}" "${join(root, 'packages/server/src/main.ts')}" "$@"`

/** Runs a block in a shell. By default, `mediamill` is the client's command line. */
const paste = async (name: string, code: string, options: Partial<ShellOptions> = {}) =>
  await pasteInto(folder, name, code, { mediamill: CLIENT, ...options })

const codeOf = (name: string) => {
  const code = named.find((block) => block.name === name)?.code
  assert.ok(code !== undefined, name)
  return code
}
const codeOfPage = (page: string) => named.filter((block) => block.page === page).map(({ code }) => code)

const RUN = ['docs/command-line.md *', 'docs/agents.md *', 'docs/console.md 1']
const RUN_TOO = [
  'README.md 5',
  'docs/operate/accounts.md 1',
  'docs/operate/accounts.md 2',
  'docs/operate/accounts.md 3',
  'docs/operate/accounts.md 4',
  'docs/operate/configuration.md 1',
  'docs/operate/configuration.md 2',
  'docs/waiting.md 4',
  'docs/operate/backup-and-upgrade.md 1',
  'docs/operate/backup-and-upgrade.md 2',
  'docs/operate/backup-and-upgrade.md 3',
]

describe('every shell block of the documentation', () => {
  test('every block for a shell is run in this file or by another test, or has a reason why it is not run', () => {
    const known = Object.fromEntries([...RUN, ...RUN_TOO].map((name) => [name, 'here']))
    const plans = named.map((block) => [known, ELSEWHERE, NOT_RUN].filter((plan) => planOf(plan, block) !== undefined))
    assert.deepEqual(
      named.filter((_, index) => plans[index]?.length !== 1).map(({ name }) => name),
      [],
    )
  })
  for (const block of named) {
    const reason = planOf(NOT_RUN, block)
    if (reason !== undefined) test(block.name, { skip: reason })
    const file = planOf(ELSEWHERE, block)
    if (file === undefined) continue
    test(`${block.name} is run by the test ${file}`, async () => {
      const text = await readFile(join(root, file), 'utf8')
      assert.match(text, /npm|readme|docs\//i)
    })
  }

  /** Creates an aborted request, and returns the id of its event. */
  async function usedAccount({ call, url }: Service) {
    const body = { source: `${url}/docs/samples/photo.jpg` }
    const first = await call('POST', '/v1/images/read', { body })
    await call('POST', `/v1/requests/${first.body.id}/abort`)
    const { data } = (await call('GET', '/v1/events')).body
    return { event: String(data[0].id) }
  }

  test('every block for a shell on the command line page works as described', async () => {
    const { url, account } = working
    const [first = '', several = '', second = '', third = ''] = codeOfPage('docs/command-line.md')
    const { work } = await paste(
      'command-line',
      first.replace(/^npm install.*$/m, '').replaceAll('https://media.example.com', url),
      { input: `${account.testKey}\n` },
    )
    const { width, height, format } = await sharp(join(work, 'small.webp')).metadata()
    assert.deepEqual([width, height, format], [800, 534, 'webp'])

    const env = { MEDIAMILL_URL: url, MEDIAMILL_API_KEY: account.testKey }
    const sizes = await paste('several', several, { env })
    assert.deepEqual(await readdir(join(sizes.work, 'out')), ['photo-large.webp', 'photo-thumb.jpg'])
    const many = await paste('many', second, { env })
    assert.match(many.stdout, /^\d+\n$/)
    assert.deepEqual(await readdir(join(many.work, 'thumbs')), ['a.jpg'])

    const completed = await paste('completion', third)
    for (const path of ['.local/share/bash-completion/completions/mediamill', '.zfunc/_mediamill']) {
      assert.match(await readFile(join(completed.work, path), 'utf8'), /mediamill/, path)
    }
  })

  test('the block on the page for agents adds an MCP server that lists its tools', async () => {
    const { url, account } = working
    const claude = 'printf "%s\\n" "$@"'
    const [first = '', second = ''] = codeOfPage('docs/agents.md').map((code) =>
      code.replaceAll('http://127.0.0.1:8080', url).replaceAll('svc_live_...', account.liveKey),
    )
    const added = (await paste('agents', first, { programs: { claude } })).stdout.trim().split('\n')
    const address = added.find((word) => word.includes('://')) ?? ''
    const [header = '', value = ''] = (added.at(-1) ?? '').split(': ')
    const message = (method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(address, {
      method: 'POST',
      headers: { [header]: value, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: message('tools/list'),
    })
    assert.match(await response.text(), /process_image/)

    const stdio = (await paste('agents-stdio', second, { programs: { claude } })).stdout.trim().split('\n')
    const command = stdio.slice(stdio.indexOf('--') + 1)
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a test', version: '1' } }
    const { stdout } = await paste('agents-run', command.join(' ').replaceAll(/\S*\/Pictures/g, '~/Pictures'), {
      input: `${message('initialize', initialize)}\n`,
      env: { MEDIAMILL_URL: url, MEDIAMILL_API_KEY: account.testKey },
    })
    assert.match(stdout, /"serverInfo"/)
  })

  test('every block on the pages for operators works as described on a running service', async () => {
    const { databaseUrl, dataDir, url, account } = waiting
    const { event } = await usedAccount(waiting)
    await waiting.sql`update accounts set webhook_url = 'https://1.1.1.1/in' where id = ${account.id}`
    const env = { DATABASE_URL: databaseUrl, SECRET_KEY, DATA_DIR: dataDir, BASE_URL: url }
    const known = (code: string) => code.replaceAll(/\b1001\b/g, String(account.id)).replaceAll(/evt_\w+/g, event)
    const links = await paste('console', known(codeOf('docs/console.md 1')).replace(/^npm start.*$/m, ''), {
      mediamill: SERVER,
      env,
    })
    assert.equal(links.stdout.match(/\/console\/#token=/g)?.length, 4)
    const created = await paste('accounts', known(codeOf('docs/operate/accounts.md 1')), { mediamill: SERVER, env })
    assert.match(created.stdout, /svc_live_[^]*\/console\/#token=/)
    const secrets = await paste('secrets', known(codeOf('docs/operate/accounts.md 2')), { mediamill: SERVER, env })
    assert.match(secrets.stdout, /whsec_/)
    const events = await paste('events', known(codeOf('docs/operate/accounts.md 3')), { mediamill: SERVER, env })
    assert.ok(events.stdout.includes(event), events.stdout)
    await usedAccount(waiting)
    await waiting.sql`
      update requests set created_at = '2026-05-01', completed_at = '2026-05-01', sweep_at = null, deleted_at = null
      where completed_at is not null`
    await waiting.sql`update events set status = 'unaddressed', url = null, due_at = null`
    const code = codeOf('docs/operate/accounts.md 4').replaceAll('/backup', folder)
    const archived = await paste('archive', code, { mediamill: SERVER, env })
    assert.match(archived.stdout, /^Archived \d+ requests to [^]*\{"id":\d+,"status":"aborted","url":null\}\n/)
  })

  test('the block that rotates SECRET_KEY encrypts webhook secrets again and retires the old key [operator.commands.12]', async () => {
    await using database = await createDatabase()
    const { sql, url } = database
    const keys = `the key that replaces the key of these tests,${SECRET_KEY}`
    const old = fingerprintOf(SECRET_KEY)
    await openAccount(sql)
    for (const key of [SECRET_KEY, keys]) await joinKeyRing(sql, key)
    const env = { DATABASE_URL: url, SECRET_KEY: keys, DATA_DIR: join(folder, 'none') }
    const resealed = await paste('reseal', codeOf('docs/operate/configuration.md 1'), { mediamill: SERVER, env })
    assert.match(resealed.stdout, new RegExp(`Encrypted 1 webhook secret and 0 [^]*${old} +position 2 `))
    await sql`update secret_keys set last_used_at = now() - interval '8 days' where fingerprint = ${old}`
    const retire = codeOf('docs/operate/configuration.md 2').replace(/[0-9a-f]{8}/, old)
    assert.match((await paste('retire', retire, { mediamill: SERVER, env })).stdout, /is retired/)
  })

  test('the block that reads events in a loop finds new events and stores its position in the list [events.list.3]', async () => {
    const { url, account } = waiting
    const { event } = await usedAccount(waiting)
    // In the first run, the file that the first line reads does not exist.
    const once = `set +e\n${codeOf('docs/waiting.md 4')}`
      .replace('while true; do', 'for time in 1 2 3; do')
      .replace('wait=50', 'wait=1')
    const { work, stdout } = await paste('events-loop', once, {
      env: { MEDIAMILL_URL: url, MEDIAMILL_API_KEY: account.liveKey },
      programs: { curl: CURL },
    })
    assert.match(stdout, /"type":"request\.aborted"/)
    assert.match(await readFile(join(work, 'last-event'), 'utf8'), /^evt_\w+\n$/)
    assert.ok(event.startsWith('evt_'))
  })

  test('the block of README processes a local file without a service [operator.commands.8]', async () => {
    const code = `${codeOf('README.md 5')}npx mediamill try photo.jpg --orient --resize 800x600,crop_center --filter valencia,strength=60 --format webp\nnpx mediamill try offer.pdf --watermark logo.png,x=20,y=20\n`
    const { work } = await paste('readme', code, { mediamill: SERVER })
    assert.ok((await readdir(join(work, 'Pictures'))).includes('photo-result.jpg'))
    const { width, height } = await sharp(join(work, 'photo-result.webp')).metadata()
    assert.deepEqual([width, height], [800, 600])
    assert.equal((await readFile(join(work, 'offer-result.pdf'))).subarray(0, 5).toString(), '%PDF-')
  })

  const isRoot = process.getuid?.() === 0 && 'the database of root lies elsewhere: run this as another account'
  test('the block that backs up and restores a stopped service preserves the ledger', {
    skip: isRoot,
  }, async () => {
    const port = String(await freePort())
    const running = `PORT=${port} "${process.execPath}" "${join(root, 'packages/server/src/main.ts')}" serve > /dev/null & service=$!`
    const npm = `${running}\nuntil curl -sf http://127.0.0.1:${port}/readyz > /dev/null; do kill -0 $service; done\nkill $service; wait $service`
    const code = `npm start\n${codeOf('docs/operate/backup-and-upgrade.md 1')}${codeOf('docs/operate/backup-and-upgrade.md 2')}`
    const DATA_DIR = join(folder, 'data')
    const { work, stdout } = await paste('backup', code, { mediamill: SERVER, programs: { npm }, env: { DATA_DIR } })
    assert.match(stdout, /\S/)
    assert.ok((await readdir(join(work, 'restored'))).includes('postgres'))
  })

  test('the block that dumps a database while the service runs creates a complete dump', async (t) => {
    const { sql, databaseUrl } = waiting
    const [server] = await sql<
      { version: number }[]
    >`select current_setting('server_version_num')::int / 10000 as version`
    const program = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
    const version = Number(/(\d+)\./.exec(String(program.stdout))?.[1] ?? 0)
    if (version < (server?.version ?? 0))
      return t.skip(`pg_dump ${version || 'is not'} here, for a server of ${server?.version}`)
    const name = `restored_${process.pid}`
    await sql.unsafe(`create database ${name}`)
    const empty = new URL(databaseUrl)
    empty.pathname = `/${name}`
    const env = { DATABASE_URL: databaseUrl, EMPTY_DATABASE_URL: empty.href }
    await paste('dump', codeOf('docs/operate/backup-and-upgrade.md 3'), { env })
    const verified = await paste('dump-verify', 'mediamill ledger verify', {
      mediamill: SERVER,
      env: { DATABASE_URL: empty.href, SECRET_KEY, DATA_DIR: join(folder, 'none') },
    })
    assert.match(verified.stdout, /\S/)
    await sql.unsafe(`drop database ${name}`)
  })
})

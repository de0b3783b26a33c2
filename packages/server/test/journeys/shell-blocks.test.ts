import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedService } from '@mediamill/lab/support/service'
import sharp from 'sharp'
import { codeOf, codeOfPage, named, paste, root, SERVER } from './shell-blocks-fixture.ts'

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
  'docs/operate/database.md 2':
    "it restarts Debian's PostgreSQL; packages/server/test/journeys/pgbouncer.test.ts pauses PgBouncer",
  'docs/operate/database.md 1': 'it creates a role as a superuser; all tests run with a DATABASE_URL',
  'docs/operate/scaling.md 2': 'it measures a machine for minutes; lab/load.ts is the same as for a release',
  'docs/operate/scaling.md 1':
    'it needs a fleet; packages/server/test/journeys/worker-drain.test.ts runs both commands',
  'docs/operate/object-storage.md 1':
    'it needs a bucket of AWS; packages/server/src/commands/doctor/examine.test.ts runs the command',
}

const planOf = (plan: Record<string, string>, { name, page }: { name: string; page: string }) =>
  plan[name] ?? plan[`${page} *`]

const working = await sharedService()

const RUN = [
  'docs/command-line.md *',
  'docs/agents.md *',
  'docs/console.md 1',
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

test('one test runs each shell block of the documentation, or the block has a reason why it is not run', () => {
  const known = Object.fromEntries(RUN.map((name) => [name, 'here']))
  const plans = named.map((block) => [known, ELSEWHERE, NOT_RUN].filter((plan) => planOf(plan, block) !== undefined))
  assert.deepEqual(
    named.filter((_, index) => plans[index]?.length !== 1).map(({ name }) => name),
    [],
  )
  assert.deepEqual(
    Object.values(ELSEWHERE).filter((file) => !existsSync(join(root, file))),
    [],
  )
})

test('every shell block on the documentation page about the command line works as described', async () => {
  const { url, account } = working
  const [first = '', several = '', second = '', third = ''] = codeOfPage('docs/command-line.md')
  const { work } = await paste(
    'command-line',
    first.replace(/^npm install.*$/m, '').replaceAll('https://media.example.com', url),
    { input: `${account.liveKey}\n` },
  )
  const { width, height, format } = await sharp(join(work, 'small.webp')).metadata()
  assert.deepEqual([width, height, format], [800, 534, 'webp'])

  // A test key allows ten calls per minute, so the commands would wait for a minute.
  const env = { MEDIAMILL_URL: url, MEDIAMILL_API_KEY: account.liveKey }
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

test('the shell block on the documentation page for agents adds an MCP server that lists its tools', async () => {
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

test('the shell block in the README processes a local file without a service [operator.commands.8]', async () => {
  const code = `${codeOf('README.md 5')}npx mediamill try photo.jpg --orient --resize 800x600,crop_center --filter valencia,strength=60 --format webp\nnpx mediamill try offer.pdf --watermark logo.png,x=20,y=20\n`
  const { work } = await paste('readme', code, { mediamill: SERVER })
  assert.ok((await readdir(join(work, 'Pictures'))).includes('photo-result.jpg'))
  const { width, height } = await sharp(join(work, 'photo-result.webp')).metadata()
  assert.deepEqual([width, height], [800, 600])
  assert.equal((await readFile(join(work, 'offer-result.pdf'))).subarray(0, 5).toString(), '%PDF-')
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { freePort } from '@mediamill/lab/support/process'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { joinKeyRing } from '@mediamill/server/accounts/key-ring'
import { fingerprintOf } from '@mediamill/server/lib/key-fingerprint'
import { CURL, codeOf, folder, paste, root, SERVER, usedAccount } from './shell-blocks-fixture.ts'

const waiting = await sharedService({ workers: false })

test('every shell block on the pages for operators works as described on a running service', async () => {
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

test('the documented commands that rotate SECRET_KEY encrypt webhook secrets again and retire the old key [operator.commands.12]', async () => {
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

test('the documented shell loop that reads events finds new events, and stores the id of the last event [events.list.3]', async () => {
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

const isRoot = process.getuid?.() === 0 && 'the database of root is in another folder: run this test as another user'
test('the documented commands that back up and restore a stopped service preserve the ledger', {
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

test('the documented commands that dump a database while the service runs create a complete dump', async (t) => {
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

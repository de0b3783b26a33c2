import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { run } from '@mediamill/lab/support/process'
import { acceptable, openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { fingerprintsOf } from '../../accounts/fingerprints.ts'
import { joinKeyRing } from '../../accounts/key-ring.ts'
import { renewApiServer } from '../../db/api-servers.ts'
import { connect } from '../../db/connection/connect.ts'
import { oldestSnapshot } from '../../db/metrics.ts'
import { versionText } from '../../lib/program-version.ts'
import { accept } from '../../requests/accept.ts'
import { renew } from '../../requests/claim.ts'
import { checkDeadRows, checkSnapshot } from './fleet.ts'

const database = await sharedDatabase()
const { sql, url } = database
const account = await openAccount(sql)
await joinKeyRing(sql, SECRET_KEY)

async function addApiServer(address: string, settings: { version?: string; keys?: string[] } = {}): Promise<string> {
  const id = randomUUID()
  const { version = versionText(), keys = fingerprintsOf(SECRET_KEY) } = settings
  await renewApiServer(sql, { id, host: 'machine-b', pid: 815, address, version, schema: 84, keys })
  await sql`update api_servers set seen_at = now() + interval '1 hour' where id = ${id}`
  return id
}

async function fleet(...args: string[]) {
  return await runOn(SECRET_KEY, 'doctor', '--fleet', ...args)
}

async function runOn(secretKey: string, ...args: string[]) {
  const ran = run(args, { DATABASE_URL: url, SECRET_KEY: secretKey, DATA_DIR: '/nowhere' })
  const code = await ran.ended
  return { code, out: ran.out(), err: ran.err() }
}

async function problems() {
  const { code, out } = await fleet('--json')
  const { findings } = JSON.parse(out) as { findings: { [name: string]: string; check: string }[] }
  for (const { check, message, part, says } of findings) assert.deepEqual([check, says], [part, message])
  const found = findings.flatMap(({ check, verdict }) => (verdict === 'good' ? [] : [`${verdict}: ${check}`]))
  assert.equal(code, found.length === 0 ? 0 : 1)
  return found
}

async function addWorker(version: string, role: 'jobs' | 'maintenance' = 'jobs'): Promise<string> {
  const id = randomUUID()
  await renew(sql, { id, host: 'machine-a', pid: 4711, version, role }, [])
  // Keeps the worker alive. On a busy machine, the command can take longer than a heartbeat is valid.
  await sql`update workers set seen_at = now() + interval '1 hour' where id = ${id}`
  return id
}

test('doctor --fleet lists workers and lanes, and exits with 1 if a check fails [operator.commands.9]', {
  timeout: 120_000,
}, async () => {
  assert.deepEqual(await problems(), ['fault: API servers', 'fault: workers'])
  const lost = await addApiServer('http://10.0.0.11:8080')
  await addApiServer('http://10.0.0.12:8080')
  await sql`update api_servers set seen_at = now() - interval '21 seconds' where id = ${lost}`
  assert.deepEqual(await problems(), ['warning: API servers', 'fault: workers'])
  assert.match(
    (await fleet()).out,
    /^! API servers +1 alive on 1 host; lost [^]*: http:\/\/10.0.0.11:8080 on machine-b$/m,
  )
  await sql`delete from api_servers where id = ${lost}`
  const without = await addApiServer('http://10.0.0.13:8080', { keys: ['00000000'] })
  assert.deepEqual(await problems(), ['fault: API servers', 'fault: workers'])
  await sql`delete from api_servers where id = ${without}`
  const older = await addApiServer('http://10.0.0.14:8080', { version: '0.0.1' })
  assert.deepEqual(await problems(), ['fault: workers', 'warning: versions'])
  await sql`delete from api_servers where id = ${older}`
  assert.deepEqual(await problems(), ['fault: workers'])
  const maintenance = await addWorker(versionText(), 'maintenance')
  assert.deepEqual(await problems(), [])
  assert.match((await fleet()).out, new RegExp(`^${maintenance} +machine-a +4711 +maintenance `, 'm'))
  const id = await addWorker(versionText())
  await accept(sql, acceptable(account.id, { livemode: false }))
  assert.deepEqual(await problems(), [])
  await sql`update workers set role = 'maintenance' where id = ${id}`
  assert.deepEqual(await problems(), ['fault: workers'])
  await sql`update workers set role = 'jobs' where id = ${id}`

  const text = await fleet()
  assert.equal(text.code, 0, text.err)
  assert.match(text.out, new RegExp(`^${id} +machine-a +4711 +jobs +\\S+.* alive +0 `, 'm'))
  const [key] = fingerprintsOf(SECRET_KEY)
  assert.match(text.out, new RegExp(`^http://10.0.0.12:8080 +machine-b +815 +\\S+.* 84 +${key} +alive `, 'm'))
  assert.match(text.out, /^image +1 +\d+ s +0$/m)
  assert.match(text.out, /✓ lanes +1 queued, 0 processing$/m)
})

test('doctor --fleet names the missing grant if its role cannot see transactions of other roles, and exits with 0', {
  timeout: 120_000,
}, async () => {
  const role = `"plain-${randomUUID()}"`
  await sql.unsafe(`create role ${role} login; grant pg_read_all_data to ${role}`)
  after(() => sql.unsafe(`drop owned by ${role}; drop role ${role}`))
  const address = new URL(url)
  address.username = role.slice(1, -1)
  address.password = ''
  await using stack = new AsyncDisposableStack()
  const plain = connect(address.href, { connections: 1, applicationName: 'test' })
  stack.defer(() => plain.end({ timeout: 1 }))
  const snapshot = async () => {
    const ran = run(['doctor', '--fleet'], { DATABASE_URL: address.href, SECRET_KEY, DATA_DIR: '/nowhere' })
    const code = await ran.ended
    return { code, row: /^. snapshot[^]*?(?=\n\S)/m.exec(ran.out())?.[0] ?? ran.out() + ran.err() }
  }
  await sql.begin(async (tx) => {
    await tx`set transaction isolation level repeatable read`
    await tx`select count(*) from accounts`
    assert.equal(await oldestSnapshot(plain), 0)
    const { code, row } = await snapshot()
    assert.match(row, /^! snapshot .*transactions of other roles and standbys are hidden/)
    assert.ok(row.includes(`As a superuser, run: grant pg_read_all_stats to ${role}`), row)
    assert.equal(code, 0)
    await sql.unsafe(`grant pg_read_all_stats to ${role}`)
    assert.ok((await oldestSnapshot(plain)) > 0)
    assert.match((await snapshot()).row, /^✓ snapshot /)
  })
})

test('doctor --fleet names each problem: a lost worker, mixed versions, old requests, and late cleanup', {
  timeout: 120_000,
}, async () => {
  await addWorker('0.0.1')
  assert.deepEqual(await problems(), ['warning: versions'])
  await sql`update workers set seen_at = now() - interval '1 minute' where version = '0.0.1'`
  assert.deepEqual(await problems(), ['warning: workers'])
  await sql`delete from workers where version = '0.0.1'`

  await sql`update jobs set created_at = now() - interval '10 minutes'`
  assert.deepEqual(await problems(), ['warning: lanes'])
  await sql`
    update requests set status = 'succeeded', completed_at = now(), files = '[]', deleted_at = now(),
      sweep_at = now() - interval '1 hour'`
  assert.deepEqual(await problems(), ['warning: cleanup'])
  await sql`update requests set sweep_at = null`
  await sql`update secret_keys set fingerprint = '00000000'`
  assert.deepEqual(await problems(), ['fault: API servers', 'fault: keys'])
})

test('an unfinished rotation of SECRET_KEY is a warning, and doctor --fleet exits with 0', {
  timeout: 120_000,
}, async () => {
  await sql`delete from secret_keys`
  await joinKeyRing(sql, SECRET_KEY)
  const keys = `the second secret key of this service,${SECRET_KEY}`
  await joinKeyRing(sql, keys)
  await addWorker(versionText())
  await sql`update api_servers set keys = ${fingerprintsOf(keys)}::text[]`
  const { code, out } = await runOn(keys, 'doctor', '--fleet')
  assert.match(out, /^! keys +the older key \w+ is not retired/m)
  assert.equal(code, 0)
})

test('doctor --fleet reports pending migrations, and fails if no service was started in the data folder', {
  timeout: 120_000,
}, async () => {
  await sql`delete from migrations where name > '0070'`
  const { code, out } = await fleet()
  assert.equal(code, 1)
  assert.match(out, /^✗ database +\d+ migrations are pending\n/)
  const none = run(['doctor', '--fleet'], { DATA_DIR: '/nowhere' })
  assert.equal(await none.ended, 1)
  assert.match(none.err(), /^mediamill: No service has been started in \/nowhere/)
})

test('doctor --fleet warns of dead rows only if a table has more than a million, and more than twice the number at which autovacuum starts', () => {
  const check = (rows: number, autovacuumRows: number) =>
    checkDeadRows([
      { table: 'jobs', rows: 100, autovacuumRows: 1_000 },
      { table: 'events', rows, autovacuumRows },
    ])
  assert.equal(check(3_000_000, 2_000_000).verdict, 'good')
  assert.equal(check(4_000_001, 2_000_000).verdict, 'warning')
  assert.equal(check(1_000_000, 1_000).verdict, 'good')
  const late = check(1_000_001, 1_000)
  assert.deepEqual([late.verdict, late.message], ['warning', '1000001 in a table (events)'])
})

test('doctor --fleet warns of a transaction that is open for more than an hour, and of a replication slot or standby that keeps more than a million transactions', () => {
  const check = (seconds: number, slot: number, standby: number) => {
    const xmins = [
      { holder: 'slot', transactions: slot } as const,
      { holder: 'standby', transactions: standby } as const,
    ]
    const { verdict, message } = checkSnapshot(seconds, xmins)
    return `${verdict}: ${message}`
  }
  const open = (seconds: number) => `the oldest transaction has been open for ${seconds} s`
  assert.equal(check(3_600, 1_000_000, 1_000_000), `good: ${open(3600)}`)
  assert.equal(check(3_601, 0, 0), `warning: ${open(3601)}`)
  assert.equal(check(1, 1_000_001, 0), `warning: ${open(1)}; a replication slot keeps the rows of 1000001 transactions`)
  assert.equal(check(1, 0, 1_000_001), `warning: ${open(1)}; a standby keeps the rows of 1000001 transactions`)
})

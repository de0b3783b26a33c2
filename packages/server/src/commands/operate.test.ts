import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import type { Outcome } from '@mediamill/contract/domain/request'
import { runCommand, until } from '@mediamill/lab/support/process'
import {
  aliveWorker,
  failed,
  openAccount,
  RETENTION_MS,
  SECRET_KEY,
  succeeded,
} from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { buyCredit } from '../accounts/credit.ts'
import { claim } from '../requests/claim.ts'
import { settle } from '../requests/settle.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service

const ENV = { DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir, PATH: '' }

const run = (args: string[], env: Record<string, string> = ENV) => runCommand(args, env)

async function json(...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await run([...args, '--json'])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

const work = { source: 'https://1.1.1.1/a.jpg', operations: [{ type: 'grayscale' }] }

async function ended(key: string, outcome: Outcome): Promise<number> {
  const { id } = (await call('POST', '/v1/images/process', { key, body: work })).body
  for (;;) {
    const taken = await claim(sql, await aliveWorker(sql), 'image', [])
    assert.ok(taken)
    if (taken.request.id !== id) continue
    assert.ok(await settle(sql, taken.lease, outcome, RETENTION_MS))
    return id
  }
}

test('operator commands show the error of a request, and the usage and ledger of an account [operator.commands.6]', async () => {
  const { id, liveKey: key } = await openAccount(sql)
  const good = await ended(key, succeeded(4_000))
  const bad = await ended(key, failed())
  const list = await json('request', 'list', '--account', String(id), '--status', 'failed')
  assert.deepEqual(
    list.requests.map((request: Json) => [request.id, request.account, request.error.code]),
    [[bad, id, 'processing_failed']],
  )
  const shown = await run(['request', 'show', String(bad)])
  assert.match(shown.stdout, new RegExp(`account +${id}\\n[^]*code +processing_failed\\n +why +No\\.\\n`))
  assert.equal((await json('request', 'show', String(good))).price.micro_usd, 4_000)
  const usage = await json('usage', String(id), '--by', 'endpoint')
  assert.deepEqual(
    usage.data.map((row: Json) => [row.endpoint, row.requests, row.succeeded, row.failed, row.spent_micro_usd]),
    [['images/process', 2, 1, 1, 4_000]],
  )
  assert.match((await run(['usage', String(id)])).stdout, /SPENT[^]*\$0\.004/)
  const ledger = await json('ledger', 'list', String(id))
  assert.deepEqual(
    ledger.entries.map((entry: Json) => [entry.kind, entry.amount.micro_usd, entry.units, entry.request]),
    [
      ['charge', -4_000, 2, good],
      ['grant', 1_000_000, null, null],
    ],
  )
  assert.equal(
    (await run(['request', 'show', '999999'])).stderr,
    'mediamill: There is no request 999999. To list the requests, run mediamill request list.\n',
  )
})

test('an operator command aborts an open request of any account, and rejects a finished request [operator.commands.6, requests.states.2]', async () => {
  const { liveKey: key } = await openAccount(sql)
  const { id } = (await call('POST', '/v1/images/process', { key, body: work })).body
  assert.equal((await json('request', 'abort', String(id))).status, 'aborted')
  assert.equal((await call('GET', `/v1/requests/${id}`, { key })).body.status, 'aborted')
  const [row] = await sql`select actor, action from audit where subject = ${`request ${id}`}`
  assert.deepEqual(row, { actor: 'command', action: 'request.aborted' })
  const again = await run(['request', 'abort', String(id)])
  const rejected = 'mediamill: This request has already been aborted; it cannot be aborted any more.\n'
  assert.deepEqual([again.code, again.stderr], [1, rejected])
})

test('an operator command that cannot record an abort in the audit log does not abort', async () => {
  const { liveKey: key } = await openAccount(sql)
  const { id } = (await call('POST', '/v1/images/process', { key, body: work })).body
  await sql`alter table audit add constraint no_aborts check (action <> 'request.aborted') not valid`
  const { code } = await run(['request', 'abort', String(id)])
  await sql`alter table audit drop constraint no_aborts`
  assert.deepEqual([code, (await call('GET', `/v1/requests/${id}`, { key })).body.status], [1, 'queued'])
})

test("a mistyped credit is corrected in the ledger with a reason, and the account's tier stays [operator.commands.4]", async () => {
  const { id } = await openAccount(sql)
  await json('account', 'credit', String(id), '10000')
  const { account } = await json('ledger', 'adjust', String(id), '-9975.00', '--reason', 'typed 10000 for 25')
  assert.deepEqual([account.balance.micro_usd, account.tier], [26_000_000, 'paid'])
  const [entry] = (await json('ledger', 'list', String(id), '--limit', '1')).entries
  assert.deepEqual(
    [entry.kind, entry.amount.amount, entry.reference],
    ['adjustment', '-9975.000000', 'typed 10000 for 25'],
  )
  for (const amount of ['0', '-0.0000001', 'much']) {
    assert.equal((await run(['ledger', 'adjust', String(id), amount, '--reason', 'x'])).code, 2, amount)
  }
  assert.equal((await run(['ledger', 'adjust', String(id), '5'])).code, 2, 'without a reason')
  assert.equal((await run(['ledger', 'verify'])).code, 0)
})

test('a credit with the same reference is booked once, even if two processes book it at the same time [operator.commands.4]', async () => {
  const { id } = await openAccount(sql)
  const bookings = await Promise.all(Array.from({ length: 8 }, () => buyCredit(sql, id, microUsd(5_000_000), 'inv-1')))
  assert.equal(bookings.filter(({ isBooked }) => isBooked).length, 1)
  const again = await json('account', 'credit', String(id), '5.00', '--reference', 'inv-1')
  assert.deepEqual([again.booked, again.account.balance.micro_usd], [false, 6_000_000])
  const other = await run(['account', 'credit', String(id), '6.00', '--reference', 'inv-1'])
  assert.deepEqual([other.code, /already booked, with \$5\.00/.test(other.stderr)], [1, true])
  await json('account', 'credit', String(id), '5.00', '--reference', 'inv-2')
  assert.equal((await json('account', 'show', String(id))).account.balance.micro_usd, 11_000_000)
})

test('operator commands rename an account, and list for each key the day of its last use [operator.commands.6]', async () => {
  const { id, liveKey: key } = await openAccount(sql)
  assert.equal((await json('account', 'rename', String(id), 'Ada Ltd')).account.name, 'Ada Ltd')
  const used = async () => (await json('key', 'list', String(id))).keys.map((row: Json) => row.last_used_on)
  assert.deepEqual(await used(), [null, null])
  assert.equal((await call('GET', '/v1/account', { key })).body.name, 'Ada Ltd')
  const today = new Date().toISOString().slice(0, 10)
  // The service stores the day of a key's use in the background, so it may be missing for a moment.
  await until(async () => (await used())[0] !== null)
  assert.deepEqual(await used(), [today, null])
})

test('an operator command exits with 1 in a folder without a service, and creates no files there [operator.commands.2]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-nothing-'))
  const dataDir = join(folder, 'typo')
  for (const args of [
    ['ledger', 'verify'],
    ['account', 'list'],
    ['request', 'list'],
    ['key', 'list', '1001'],
  ]) {
    const { code, stderr } = await run(args, { DATA_DIR: dataDir, PATH: '' })
    assert.deepEqual([code, /No service has been started in .*typo/.test(stderr)], [1, true], args.join(' '))
  }
  assert.ok(!existsSync(dataDir))
  await rm(folder, { recursive: true })
})

test('an invalid URL counts as wrong usage of the command, and a blocked URL is rejected with a fix [operator.commands.1]', async () => {
  const { id } = await openAccount(sql)
  for (const args of [
    ['account', 'set-webhook', String(id), 'notaurl'],
    ['listen', '--forward-to', 'notaurl'],
  ]) {
    const { code, stderr } = await run(args)
    assert.deepEqual([code, /http or https URL/.test(stderr)], [2, true], args.join(' '))
  }
  const { code, stderr } = await run(['account', 'set-webhook', String(id), 'http://10.0.0.8/hook'])
  assert.equal(code, 1)
  assert.match(stderr, /^mediamill: http:\/\/10\.0\.0\.8\/hook: .* \(url_blocked\) To allow a private host/)
})

test('doctor exits with 1 if an error prevents the service from working, and suggests a fix for each error [operator.commands.9]', async () => {
  const env = { ...ENV, DATABASE_URL: 'postgres://127.0.0.1:1/none', TMPDIR: join(service.dataDir, 'none') }
  const { code, stdout, stderr } = await run(['doctor'], env)
  assert.deepEqual([code, stderr], [1, ''])
  assert.match(stdout, /✗ sandbox +engines cannot be tested: \S+ is not writable\n +Let this user write there/)
  assert.match(stdout, /✗ database +.*\n +Check that it is running/)
  assert.equal((await run(['doctor', '--json'])).code, 0)
})

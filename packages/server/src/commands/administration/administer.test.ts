import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { naming } from '@mediamill/lab/support/message'
import { runCommand } from '@mediamill/lab/support/process'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { Command, CommanderError } from 'commander'
import { isKey } from '../../accounts/key.ts'
import { register as registerAccount } from './account.ts'
import { register as registerKey } from './key.ts'
import { register as registerKeyRing } from './key-ring.ts'
import { register as registerLedger } from './ledger.ts'
import { register as registerRequest } from './request.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url))
const env = { DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir, PATH: '' }

const run = (...args: string[]) => runCommand(args, env)

async function json(...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await run(...args, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

test('account create prints an account, its API keys, and its webhook secret, and the keys work immediately [operator.commands.3]', async () => {
  const made = await json('account', 'create', '--name', 'Grace', '--email', 'grace@example.com', '--credit', '25.00')
  assert.deepEqual(Object.keys(made), ['account', 'live_key', 'test_key', 'webhook_secret'])
  assert.ok(isKey(made.live_key) && isKey(made.test_key))
  assert.match(made.webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { body } = await call('GET', '/v1/account', { key: made.live_key })
  assert.deepEqual(
    [body.id, body.name, body.tier, body.balance.amount],
    [made.account.id, 'Grace', 'paid', '26.000000'],
  )
  assert.equal((await call('GET', '/v1/account', { key: made.test_key })).body.livemode, false)
  const free = await run('account', 'create', '--name', 'Free', '--email', 'free@example.com')
  assert.match(free.stdout, /svc_live_\w{46}[^]*svc_test_\w{46}[^]*whsec_/)
})

test('account commands list, show, suspend, resume, credit, and limit an account, and set its webhook [operator.commands.5, operator.commands.6]', async () => {
  const { id, liveKey: key } = service.account
  const ids = (await json('account', 'list')).accounts.map((account: Json) => account.id)
  assert.ok(ids.includes(id) && ids.length >= 2)
  assert.equal((await json('account', 'show', String(id))).account.email, 'ada@example.com')

  assert.equal((await json('account', 'suspend', String(id))).account.suspended, true)
  assert.equal((await call('GET', '/v1/account', { key })).status, 403)
  assert.equal((await json('account', 'resume', String(id))).account.suspended, false)
  assert.equal((await call('GET', '/v1/account', { key })).status, 200)

  const before = (await call('GET', '/v1/account', { key })).body.balance.micro_usd
  await json('account', 'credit', String(id), '0.000001', '--reference', 'invoice 7')
  assert.equal((await call('GET', '/v1/account', { key })).body.balance.micro_usd, before + 1)
  const [row] = await sql`select kind, amount, reference from ledger where account_id = ${id} order by id desc limit 1`
  assert.deepEqual({ ...row }, { kind: 'purchase', amount: 1, reference: 'invoice 7' })

  await json(
    'account',
    'limits',
    String(id),
    '--requests-per-minute',
    '77',
    '--concurrent',
    '5',
    '--max-source-bytes',
    '9',
  )
  const limits = async () => (await call('GET', '/v1/account', { key })).body.limits
  assert.deepEqual(await limits(), { requests_per_minute: 77, concurrent_requests: 5, max_source_bytes: 9 })
  await json('account', 'limits', String(id), '--concurrent', 'default')
  assert.deepEqual(await limits(), { requests_per_minute: 77, concurrent_requests: 10, max_source_bytes: 9 })

  await json('account', 'limits', String(id), '--requests-per-minute', '1000000', '--concurrent', '1000000')
  for (const over of [
    ['--requests-per-minute', '1000001'],
    ['--concurrent', '1000001'],
    ['--max-source-bytes', '9007199254740992'],
    ['--concurrent', '0'],
  ]) {
    const { code, stderr } = await run('account', 'limits', String(id), ...over)
    assert.deepEqual([code, /must be a whole number from 1 to/.test(stderr)], [2, true], over.join(' '))
  }

  await json('account', 'set-webhook', String(id), 'https://1.1.1.1/hook')
  assert.equal((await call('GET', '/v1/account', { key })).body.webhook_url, 'https://1.1.1.1/hook')
  const rejected = await run('account', 'set-webhook', String(id), 'http://127.0.0.1/hook')
  assert.deepEqual([rejected.code, /url_blocked/.test(rejected.stderr)], [1, true])
  await json('account', 'set-webhook', String(id), '')
  assert.equal((await call('GET', '/v1/account', { key })).body.webhook_url, null)
})

test('key commands create a key, list it without its secret, and revoke it at once [auth.keys.4, operator.commands.6]', async () => {
  const account = String(service.account.id)
  const made = await json('key', 'create', account, '--mode', 'test', '--name', 'web shop')
  assert.deepEqual(Object.keys(made), ['id', 'name', 'mode', 'key'])
  assert.deepEqual([made.name, made.mode, made.key.slice(0, 9)], ['web shop', 'test', 'svc_test_'])
  assert.equal((await call('GET', '/v1/account', { key: made.key })).status, 200)
  const options = [
    '--endpoint',
    'images/process',
    '--endpoint',
    'uploads',
    '--template',
    'avatar',
    '--mode-only',
    '--create-only',
  ]
  const limits = ['--origin', 'https://shop.example', '--daily-spend', '2.50', '--expires', '2027-12-31']
  const form = await json('key', 'create', account, '--mode', 'live', '--name', 'form', ...options, ...limits)
  assert.match(form.key, /^svc_live_r_/)
  assert.deepEqual(form.restrictions, {
    endpoints: ['images/process', 'uploads'],
    templates_only: ['avatar'],
    mode_only: true,
    create_only: true,
    origins: ['https://shop.example'],
    daily_spend: '2.50',
    expires_at: '2027-12-31T00:00:00.000Z',
  })
  const listed = await run('key', 'list', account, '--json')
  assert.ok(!listed.stdout.includes(made.key))
  const shown = JSON.parse(listed.stdout).keys.find((key: Json) => key.id === made.id)
  assert.deepEqual([shown.prefix, shown.last_four, shown.revoked_at], ['svc_test_', made.key.slice(-4), null])
  assert.ok((await json('key', 'revoke', String(made.id))).revoked_at !== null)
  assert.equal((await call('GET', '/v1/account', { key: made.key })).body.error.code, 'invalid_api_key')
  const table = (await run('key', 'list', account)).stdout
  assert.match(table, / form .* never +no /)
  assert.match(table, / web shop .* 20\d\d-\d\d-\d\d.* none/)
})

test('key create rejects a key above the maximum number of active keys', async () => {
  const { account } = await json('account', 'create', '--name', 'Full', '--email', 'full@example.com')
  await sql`
    insert into api_keys (account_id, name, livemode, hash, last_four)
    select ${account.id}, 'more', true, sha256(('more ' || n)::bytea), 'abcd' from generate_series(3, 99) n`
  const create = () => run('key', 'create', String(account.id), '--mode', 'live', '--name', 'shop')
  assert.equal((await create()).code, 0)
  const { code, stderr } = await create()
  assert.equal(code, 1)
  assert.match(stderr, naming('at most 100 active keys', 'Revoke'))
})

test("the audit log has each change by a command, with the command's user and host [console.audit.3]", async () => {
  const { id } = (await json('account', 'create', '--name', 'Audited', '--email', 'audited@example.com')).account
  const account = String(id)
  await json('account', 'credit', account, '2.00', '--reference', 'invoice 8')
  await json('account', 'credit', account, '2.00', '--reference', 'invoice 8')
  await json('ledger', 'adjust', account, '-1.00', '--reason', 'a mistake')
  const made = await json('key', 'create', account, '--mode', 'live', '--name', 'shop')
  await json('key', 'revoke', String(made.id))
  await json('secret', 'roll', account)
  await json('secret', 'show', account)
  await json('account', 'suspend', account)
  await json('account', 'resume', account)
  await json('account', 'rename', account, 'Renamed')
  await json('account', 'limits', account, '--concurrent', '5')
  assert.equal((await json('account', 'weight', account, '2.5')).account.weight, 2.5)
  assert.equal((await sql`select weight from accounts where id = ${id}`)[0]?.['weight'], 2.5)
  await json('account', 'set-webhook', account, '')
  await json('console', account)
  const rows = await sql`select actor, name, action, subject, detail from audit where account_id = ${id} order by id`
  assert.deepEqual(
    rows.map(({ action, subject, detail }) => [action, subject, detail]),
    [
      ['account.created', 'Audited', {}],
      ['credit.bought', 'invoice 8', { amount: '2.000000' }],
      ['credit.bought_before', 'invoice 8', { amount: '2.000000' }],
      ['credit.adjusted', 'a mistake', { amount: '-1.000000' }],
      ['key.created', String(made.id), { mode: 'live', name: 'shop' }],
      ['key.revoked', String(made.id), { name: 'shop' }],
      ['webhook_secret.rolled', null, { overlap_hours: 24 }],
      ['webhook_secret.revealed', null, {}],
      ['account.changed', null, { suspended: true }],
      ['account.changed', null, { suspended: false }],
      ['account.changed', null, { name: 'Renamed' }],
      ['account.changed', null, { limits: { concurrentRequests: 5 } }],
      ['account.changed', null, { weight: 2.5 }],
      ['webhook.set', null, { url: null }],
      ['sign_in_link.made', null, { kind: 'account' }],
    ],
  )
  const name = `${userInfo().username}@${hostname()}`
  for (const row of rows) assert.deepEqual([row['actor'], row['name']], ['command', name])
})

test('ledger verify exits with 0 if the account balances match the ledger, and otherwise lists each wrong balance and exits with 1 [operator.commands.7]', async () => {
  const agreed = {
    differences: [],
    mischarged: [],
    overdrawn: [],
  }
  assert.deepEqual(await json('ledger', 'verify'), { ok: true, ...agreed })
  await sql`update accounts set balance = balance + 5 where id = ${service.account.id}`
  const { code, stdout, stderr } = await run('ledger', 'verify', '--json')
  await sql`update accounts set balance = balance - 5 where id = ${service.account.id}`
  assert.equal(code, 1)
  const { ok, differences } = JSON.parse(stdout)
  assert.deepEqual([ok, differences.length, differences[0].account_id], [false, 1, service.account.id])
  assert.equal(differences[0].balance - differences[0].ledger_sum, 5)
  assert.match(stderr, /is not correct/)
})

test('a balance stays exact, because a purchase above the maximum is rejected and changes nothing [billing.ledger.1]', async () => {
  const { id, liveKey: key } = await openAccount(sql)
  const most = Number.MAX_SAFE_INTEGER
  await sql`insert into ledger (account_id, kind, amount) values (${id}, 'adjustment', ${most - 1_000_001})`
  await sql`update accounts set balance = ${most - 1} where id = ${id}`
  const rejected = await run('account', 'credit', String(id), '0.000002')
  assert.deepEqual(
    [rejected.code, /the maximum of \$9007199254\.740991/.test(rejected.stderr)],
    [1, true],
    rejected.stderr,
  )
  assert.equal((await call('GET', '/v1/account', { key })).body.tier, 'free')
  assert.equal((await json('account', 'credit', String(id), '0.000001')).account.balance.micro_usd, most)
  assert.equal((await call('GET', '/v1/account', { key })).body.balance.amount, '9007199254.740991')
  assert.equal((await json('ledger', 'verify')).ok, true)
})

test('a command that cannot print its output exits with 1, because an unprinted key would be lost [operator.commands.1]', {
  skip: !existsSync('/dev/full'),
}, async () => {
  await using full = await open('/dev/full', 'w')
  const child = spawn(process.execPath, [MAIN, 'account', 'list'], { env, stdio: ['ignore', full.fd, 'pipe'] })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (output += text))
  assert.deepEqual(await once(child, 'close'), [1, null])
  assert.match(output, /could not be written \(ENOSPC\)/)
})

/** Parses arguments that request help or are invalid, so that no command runs. Returns the output and exit code. */
async function parse(...args: string[]): Promise<{ text: string; exitCode: number }> {
  let text = ''
  const program = new Command('mediamill')
  for (const register of [registerAccount, registerKey, registerKeyRing, registerLedger, registerRequest])
    register(program)
  const write = (part: string) => void (text += part)
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]
  for (const command of all(program)) command.exitOverride().configureOutput({ writeOut: write, writeErr: write })
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    assert.ok(error instanceof CommanderError)
    return { text, exitCode: error.exitCode }
  }
  throw new Error(`${args.join(' ')} was not refused`)
}

test('an unknown id exits with 1, and wrong usage exits with 2, each with a reason [operator.commands.1]', async () => {
  const ends = await Promise.all([
    run('account', 'show', '999999'),
    run('key', 'create', '999999', '--mode', 'live', '--name', 'x'),
    run('key', 'revoke', 'x'),
    run('key', 'create', '1001', '--mode', 'live', '--name', 'x', '--origin', 'x'),
  ])
  assert.deepEqual(
    ends.map(({ code }) => code),
    [1, 1, 2, 2],
  )
  for (const { stdout, stderr } of ends) assert.ok(stdout === '' && stderr.length > 10 && !/\n\s+at /.test(stderr))
  const wrong = [
    ['account'],
    ['account', 'show'],
    ['account', 'show', 'x'],
    ['account', 'create', '--name', 'x'],
    ['account', 'create', '--name', ' ', '--email', 'a@b'],
    ['account', 'create', '--name', 'two\nlines', '--email', 'a@b'],
    ['account', 'credit', '1001', '-1'],
    ['account', 'credit', '1001', '1000000000'],
    ['account', 'credit', '1001', '0.0000001'],
    ['account', 'limits', '1001'],
    ['account', 'limits', '1001', '--concurrent', '0'],
    ['key', 'create', '1001', '--mode', 'other', '--name', 'x'],
    ['ledger', 'burn'],
  ]
  for (const args of wrong) {
    const { text, exitCode } = await parse(...args)
    assert.ok(exitCode !== 0 && text.length > 10, args.join(' '))
  }
})

test('an account weight is a number from 0.01 to 100 with at most two decimals [operator.commands.1]', async () => {
  for (const wrong of ['0', '0.001', '101', '1.234', '-1', 'x']) {
    const { text, exitCode } = await parse('account', 'weight', '--', '1001', wrong)
    assert.equal(exitCode, 1, wrong)
    assert.match(text, /a number from 0\.01 to 100/)
  }
})

test('the help of every command has an example [operator.commands.11]', async () => {
  for (const [group, commands] of Object.entries({
    account: ['create', 'list', 'show', 'suspend', 'resume', 'set-webhook', 'rename', 'credit', 'limits', 'weight'],
    key: ['create', 'list', 'revoke'],
    ledger: ['list', 'adjust', 'verify', 'reconcile'],
    request: ['list', 'show', 'abort'],
    'key-ring': ['status', 'reseal', 'retire'],
  })) {
    for (const command of commands) {
      const { text, exitCode } = await parse(group, command, '--help')
      assert.equal(exitCode, 0)
      assert.match(text, new RegExp(`Example:\\n  mediamill ${group} ${command}`))
      assert.match(text, /--json/)
    }
  }
})

test('the console command creates a sign-in link that works once, for an account or the operator [console.sign_in.1, console.sign_in.3]', async () => {
  const { id } = await openAccount(sql)
  const signIn = async (link: string) => {
    const response = await fetch(`${service.url}/console/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ token: link.split('#token=')[1] }),
    })
    const { kind, account } = (await response.json()) as Json
    return [response.status, kind, account?.id]
  }
  const own = await json('console', String(id))
  assert.ok(own.url.includes('/console/#token=') && Date.parse(own.expires_at) > Date.now())
  assert.deepEqual(await signIn(own.url), [201, 'account', id])
  assert.deepEqual(await signIn(own.url), [403, undefined, undefined])
  const { url } = await json('console', String(id), '--operator')
  assert.deepEqual(await signIn(url), [201, 'operator', id])
  assert.match((await run('console')).stderr, /several accounts\. Pass an account id/)
  assert.match((await run('console', '999999')).stderr, /There is no account 999999/)
})

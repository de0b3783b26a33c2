import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CONSOLE_ERRORS } from '@mediamill/contract/domain/errors'
import { openBrowser, signedIn, tokenFor } from '@mediamill/lab/support/browser'
import { createDatabase } from '@mediamill/lab/support/database'
import { freePort } from '@mediamill/lab/support/process'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { createKey } from '../../../src/accounts/create-key.ts'
import { makeKey } from '../../../src/accounts/key.ts'
import { newToken } from '../../../src/accounts/sign-in/token.ts'
import { startApi } from '../../../src/app/api.ts'
import { readConfig } from '../../../src/config/config.ts'
import { updateAccount } from '../../../src/db/accounts/accounts.ts'
import { createLog } from '../../../src/telemetry/log.ts'

const service = await sharedService({ workers: false })
const { account, sql, url } = service

describe('sign-in links of the console', () => {
  test('a sign-in link signs in once, by a POST, and a second POST is rejected [console.sign_in.1, console.sign_in.2]', async () => {
    const token = await tokenFor(service, { kind: 'account', accountId: account.id })
    const browser = openBrowser(service)
    for (const path of [`/session?token=${token}`, '/session']) {
      assert.equal((await browser.call('GET', path)).status, 401)
    }
    for (const method of ['GET', 'HEAD']) await fetch(`${url}/console/?token=${token}`, { method })
    const opened = await browser.call('POST', '/session', { body: { token } })
    assert.deepEqual([opened.status, opened.body.kind, opened.body.account.id], [201, 'account', account.id])
    const cookie = opened.headers.get('set-cookie') ?? ''
    assert.match(cookie, /^mediamill=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/)
    const again = await openBrowser(service).call('POST', '/session', { body: { token } })
    assert.deepEqual(
      [again.status, again.body.error.code, again.headers.get('set-cookie')],
      [403, 'link_not_valid', null],
    )
  })

  test('a sign-in link is rejected after 15 minutes, and an unknown link is always rejected [console.sign_in.1]', async () => {
    const token = await tokenFor(service, { kind: 'account', accountId: account.id })
    await sql`update sign_in_links set expires_at = now() where used_at is null`
    for (const tried of [token, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, '', 'x'.repeat(500)]) {
      const { status, body } = await openBrowser(service).call('POST', '/session', { body: { token: tried } })
      assert.deepEqual([status, body.error.code], [403, 'link_not_valid'])
    }
    const [row] =
      await sql`select extract(epoch from expires_at - created_at) as life from sign_in_links where used_at is not null`
    assert.equal(Number(row?.['life']), 900)
  })

  test('a sign-in link signs in exactly one of two simultaneous calls, and rejects the other [console.sign_in.1]', async () => {
    const token = await tokenFor(service, { kind: 'account', accountId: account.id })
    const tries = await Promise.all(
      Array.from({ length: 8 }, () => openBrowser(service).call('POST', '/session', { body: { token } })),
    )
    const counted = [201, 403].map((code) => tries.filter(({ status }) => status === code).length)
    assert.deepEqual(counted, [1, 7])
  })

  test('a sign-in link and its session cookie are stored in the database only as hashes [console.sessions.2]', async () => {
    const token = await tokenFor(service, { kind: 'account', accountId: account.id })
    const browser = openBrowser(service)
    await browser.call('POST', '/session', { body: { token } })
    const cookie = browser.cookie?.split('=')[1] ?? ''
    const rows = await sql<{ text: string }[]>`
      select l::text as text from sign_in_links l union all select s::text from sessions s union all select a::text from audit a`
    const dump = rows.map(({ text }) => text).join('\n')
    assert.ok(rows.length > 2 && cookie.length === 43)
    for (const secret of [token, cookie]) {
      assert.equal(dump.includes(secret), false)
      assert.equal(dump.includes(Buffer.from(secret).toString('hex')), false)
    }
  })
})

describe('sessions of the console', () => {
  test('a session is rejected from the first call after sign-out, and another session can be ended by its id [console.sessions.1]', async () => {
    const [one, two] = [
      await signedIn(service, { kind: 'account', accountId: account.id }),
      await signedIn(service, { kind: 'account', accountId: account.id }),
    ]
    const { cookie } = one
    const { body } = await one.call('GET', '/sessions')
    assert.equal(body.data.filter(({ current }: { current: boolean }) => current).length, 1)
    const other = (await two.call('GET', '/session')).body.id
    assert.equal((await one.call('DELETE', `/sessions/${other}`)).status, 204)
    assert.equal((await two.call('GET', '/account')).status, 401)
    assert.equal((await one.call('DELETE', '/session')).status, 204)
    assert.equal(one.cookie, undefined)
    one.cookie = cookie
    const { status, body: rejected } = await one.call('GET', '/account')
    assert.deepEqual([status, rejected.error.code], [401, 'not_signed_in'])
  })

  test('a session ends only if its exact id is given, and a malformed id returns 404', async () => {
    const browser = await signedIn(service, { kind: 'account', accountId: account.id })
    const all = async () => (await browser.call('GET', '/sessions')).body.data.map(({ id }: { id: number }) => id)
    const before = await all()
    assert.ok(before.includes(1), 'the first one of the database is of this account')
    for (const odd of ['x', '-1', '1e0', '0x1', '%201'])
      assert.equal((await browser.call('DELETE', `/sessions/${odd}`)).status, 404, odd)
    assert.deepEqual(await all(), before)
  })

  test('a session ends 30 days after its last use, and 90 days after it started [console.sessions.1]', async () => {
    for (const change of ["last_used_at = now() - interval '30 days'", "created_at = now() - interval '90 days'"]) {
      const browser = await signedIn(service, { kind: 'account', accountId: account.id })
      const { id } = (await browser.call('GET', '/session')).body
      await sql`update sessions set ${sql.unsafe(change)} where id = ${id}`
      assert.equal((await browser.call('GET', '/session')).status, 401, change)
    }
  })

  test('a session cannot see or end a session of another account', async () => {
    const stranger = await openAccount(sql)
    const mine = await signedIn(service, { kind: 'account', accountId: account.id })
    const theirs = await signedIn(service, { kind: 'account', accountId: stranger.id })
    const { id } = (await theirs.call('GET', '/session')).body
    assert.equal((await mine.call('DELETE', `/sessions/${id}`)).status, 404)
    assert.equal((await theirs.call('GET', '/session')).status, 200)
    assert.equal((await theirs.call('GET', '/sessions')).body.data.length, 1)
  })
})

describe('console sessions of an API key', () => {
  test('a session of an API key has the rights and the mode of the key, and sees no keys, secrets, or settings [console.sign_in.4, console.sign_in.5]', async () => {
    const browser = openBrowser(service)
    const opened = await browser.call('POST', '/session', { body: { api_key: account.testKey } })
    assert.deepEqual([opened.status, opened.body.kind, opened.body.livemode], [201, 'key', false])
    const live = await browser.call('GET', '/account', { headers: { 'mediamill-mode': 'live' } })
    assert.equal(live.body.livemode, false, 'the mode is that of the key')
    for (const [method, path, body] of [
      ['GET', '/keys', undefined],
      ['POST', '/keys', { livemode: true }],
      ['DELETE', '/keys/1', undefined],
      ['GET', '/webhook/secrets', undefined],
      ['POST', '/webhook/secrets/reveal', {}],
      ['POST', '/webhook/secrets/roll', { overlap_hours: 0 }],
      ['PUT', '/webhook', { url: null }],
      ['GET', '/sessions', undefined],
      ['GET', '/audit', undefined],
    ] as const) {
      const { status, body: rejected } = await browser.call(method, path, { body })
      assert.deepEqual([status, rejected.error.code], [403, 'not_allowed'], `${method} ${path}`)
    }
    assert.equal((await browser.call('GET', '/requests')).status, 200)
    assert.equal((await browser.call('DELETE', '/session')).status, 204)
  })

  test('a session of an API key is rejected as soon as its key is revoked, and a revoked key opens no session [console.sign_in.4]', async () => {
    const made = await createKey(sql, account.id, { name: 'lent', mode: 'live' })
    const browser = openBrowser(service)
    await browser.call('POST', '/session', { body: { api_key: made?.key } })
    assert.equal((await browser.call('GET', '/account')).status, 200)
    const owner = await signedIn(service, { kind: 'account', accountId: account.id })
    assert.equal((await owner.call('DELETE', `/keys/${made?.row.id}`)).status, 200)
    assert.equal((await browser.call('GET', '/account')).status, 401)
    const again = await openBrowser(service).call('POST', '/session', { body: { api_key: made?.key } })
    assert.deepEqual([again.status, again.body.error.code], [401, 'invalid_api_key'])
  })
})

test('the session cookie does not work for /v1, and an API key in the header does not work for the console [console.sessions.2]', async () => {
  const { cookie } = await signedIn(service, { kind: 'account', accountId: account.id })
  const response = await fetch(`${url}/v1/account`, { headers: { cookie: cookie ?? '' } })
  assert.equal(response.status, 401)
  const { status } = await openBrowser(service).call('GET', '/account', {
    headers: { authorization: `Bearer ${account.liveKey}` },
  })
  assert.equal(status, 401)
})

test('every error of the console has a link to a page that explains its code [console.errors.1]', async () => {
  const { body } = await openBrowser(service).call('GET', '/account')
  const { doc_url: link } = body.error
  assert.ok(link.endsWith('/docs/errors#not_signed_in'), link)
  const page = await (await fetch(link)).text()
  for (const code of Object.keys(CONSOLE_ERRORS)) assert.ok(page.includes(`id="${code}"`), code)
})

describe('sign-in limits for clients behind one proxy', () => {
  const wrongKey = `${account.liveKey.slice(0, -1)}${account.liveKey.endsWith('a') ? 'b' : 'a'}`
  const unknownKey = makeKey('live')

  test('a correct sign-in link signs in after 35 wrong links from the same client address [console.limits.1]', async () => {
    await using other = await startService({ workers: false })
    const statuses: number[] = []
    for (let tried = 0; tried < 35; tried += 1) {
      const { status, headers } = await openBrowser(other).call('POST', '/session', { body: { token: newToken() } })
      statuses.push(status)
      if (status === 429) assert.ok(Number(headers.get('retry-after')) > 0)
    }
    assert.deepEqual([statuses.filter((status) => status === 403).length, statuses.at(-1)], [30, 429])
    await signedIn(other, { kind: 'account', accountId: other.account.id })
  })

  test('a correct API key signs in after 70 wrong keys from the same client address [console.limits.1]', async () => {
    await using other = await startService({ workers: false })
    for (let tried = 0; tried < 70; tried += 1) {
      const body = { api_key: tried % 2 === 0 ? wrongKey : unknownKey }
      const { status } = await openBrowser(other).call('POST', '/session', { body })
      assert.equal(status, tried < 30 ? 401 : 429)
    }
    const opened = await openBrowser(other).call('POST', '/session', { body: { api_key: other.account.liveKey } })
    assert.equal(opened.status, 201)
  })

  test('failed sign-ins count for the client in X-Forwarded-For if the proxy is trusted [console.limits.1]', async () => {
    await using other = await startService({ workers: false, settings: { TRUSTED_PROXIES: '127.0.0.1' } })
    const statusFor = async (client: string) => {
      const headers = { 'x-forwarded-for': `203.0.113.9, ${client}` }
      return (await openBrowser(other).call('POST', '/session', { body: { token: 'x' }, headers })).status
    }
    for (let tried = 0; tried < 30; tried += 1) await statusFor('2a00:1450:0:1::1')
    assert.deepEqual([await statusFor('2a00:1450:0:1:ffff::2'), await statusFor('2a00:1450:0:2::1')], [429, 403])
  })
})

test('an API key can open 30 sessions a minute, independent of other keys [console.limits.2]', async () => {
  await using other = await startService({ workers: false })
  const stranger = await openAccount(other.sql)
  const open = async (key: string) =>
    (await openBrowser(other).call('POST', '/session', { body: { api_key: key } })).status
  const statuses: number[] = []
  for (let tried = 0; tried < 31; tried += 1) statuses.push(await open(other.account.liveKey))
  assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.at(-1)], [30, 429])
  assert.equal(await open(stranger.liveKey), 201)
})

test('checking a sign-in link returns its account and does not use up the link [console.sign_in.2]', async () => {
  const check = async (token: string) => await openBrowser(service).call('POST', '/session/check', { body: { token } })
  const token = await tokenFor(service, { kind: 'account', accountId: account.id })
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await check(token)
    assert.deepEqual([status, body.kind, body.account], [200, 'account', { id: account.id, name: 'Ada' }])
  }
  const invited = await tokenFor(service, { kind: 'sign_up', name: 'New', email: 'new@example.com' })
  const { body: opening } = await check(invited)
  assert.deepEqual(opening, { kind: 'sign_up', account: null, name: 'New', email: 'new@example.com' })
  assert.equal((await check(await tokenFor(service, { kind: 'operator' }))).body.kind, 'operator')
  assert.equal((await openBrowser(service).call('POST', '/session', { body: { token } })).status, 201)
  assert.equal((await check(token)).body.error.code, 'link_not_valid')
})

test('signing in again in the same browser ends the earlier session [console.sessions.3]', async () => {
  const browser = await signedIn(service, { kind: 'account', accountId: account.id })
  const { cookie } = browser
  const token = await tokenFor(service, { kind: 'account', accountId: account.id })
  assert.equal((await browser.call('POST', '/session', { body: { token } })).status, 201)
  assert.notEqual(browser.cookie, cookie)
  assert.equal((await openBrowser(service, cookie).call('GET', '/session')).status, 401)
  assert.equal((await browser.call('GET', '/session')).status, 200)
})

test('a suspended account cannot sign in, and its sessions can only sign out [console.sessions.3]', async () => {
  const stranger = await openAccount(sql)
  const browser = await signedIn(service, { kind: 'account', accountId: stranger.id })
  const token = await tokenFor(service, { kind: 'account', accountId: stranger.id })
  await updateAccount(sql, stranger.id, { suspended: true })
  for (const body of [{ token }, { api_key: stranger.liveKey }]) {
    const { status, body: rejected } = await openBrowser(service).call('POST', '/session', { body })
    assert.deepEqual([status, rejected.error.code], [403, 'account_suspended'])
  }
  for (const path of ['/sessions', '/audit', '/keys', '/account', '/requests']) {
    const { status, body } = await browser.call('GET', path)
    assert.deepEqual([status, body.error.code], [403, 'account_suspended'], path)
  }
  await updateAccount(sql, stranger.id, { suspended: false })
  assert.equal(
    (await openBrowser(service).call('POST', '/session', { body: { token } })).status,
    201,
    'the link is left',
  )
  await updateAccount(sql, stranger.id, { suspended: true })
  assert.equal((await browser.call('DELETE', '/session')).status, 204)
})

test('the current session is first in the list of sessions, even with more than 100 others', async () => {
  const stranger = await openAccount(sql)
  const browser = await signedIn(service, { kind: 'account', accountId: stranger.id })
  const { id } = (await browser.call('GET', '/session')).body
  await sql`
    insert into sessions (hash, kind, account_id, user_agent)
    select sha256(n::text::bytea), 'account', ${stranger.id}, '' from generate_series(1, 120) n`
  const { data } = (await browser.call('GET', '/sessions')).body
  assert.deepEqual([data.length, data[0].id, data[0].current], [100, id, true])
})

test('sessions and audit rows contain the name of the person who signed in and the client address [console.audit.1]', async () => {
  const stranger = await openAccount(sql)
  const made = await createKey(sql, stranger.id, { name: 'web shop', mode: 'live' })
  await openBrowser(service).call('POST', '/session', { body: { api_key: made?.key } })
  const email = 'ada@example.com'
  const owner = await signedIn(service, { kind: 'account', accountId: stranger.id, email })
  const named = ({ name, client }: { name: string; client: string }) => [name, client]
  const { data: sessions } = (await owner.call('GET', '/sessions')).body
  assert.deepEqual(sessions.map(named), [
    [email, '127.0.0.1'],
    ['web shop', '127.0.0.1'],
  ])
  await owner.call('POST', '/keys', { body: { livemode: false } })
  const operator = await signedIn(service, { kind: 'operator', name: 'Grace' })
  await operator.call('PATCH', `/accounts/${stranger.id}`, { body: { name: 'Renamed' } })
  const link = (await operator.call('POST', `/accounts/${stranger.id}/sign-in-links`)).body.url
  const byOperator = openBrowser(service)
  await byOperator.call('POST', '/session', { body: { token: link.split('#token=')[1] } })
  await byOperator.call('POST', '/keys', { body: { livemode: false } })
  const { data: rows } = (await owner.call('GET', '/audit')).body
  const nameOf = (action: string) => rows.find((row: { action: string }) => row.action === action)
  assert.deepEqual(named(nameOf('account.changed')), ['Grace', '127.0.0.1'])
  assert.deepEqual(named(nameOf('key.created')), ['a link of operator Grace', '127.0.0.1'])
})

test('when the server stops, the audit log has one row per client with failed sign-ins [console.audit.2]', async () => {
  const other = await createDatabase()
  const log = createLog('fatal', 'test')
  const port = await freePort()
  // The default folder in the checkout may already belong to another database.
  const DATA_DIR = await sharedFolder('mediamill-sign-in-')
  const settings = { PORT: String(port), DATABASE_URL: other.url, SECRET_KEY, DATA_DIR, LOG_LEVEL: 'fatal' }
  const api = await startApi({ ...readConfig(settings), databaseUrl: other.url, secretKey: SECRET_KEY }, log)
  const browser = openBrowser({ url: `http://127.0.0.1:${port}` })
  for (let tried = 0; tried < 35; tried += 1) await browser.call('POST', '/session', { body: { token: newToken() } })
  await browser.call('POST', '/session', { body: { api_key: makeKey('live') } })
  await api.stop()
  const rows = await other.sql`select account_id, client, action, detail from audit`
  assert.deepEqual(
    [...rows],
    [{ account_id: null, client: '127.0.0.1', action: 'sign_in.failed', detail: { links: 35, keys: 1 } }],
  )
  await other[Symbol.asyncDispose]()
})

test("an operator's reads of an account's requests and files are logged in the audit log, each at most once an hour [console.audit.2]", async () => {
  const stranger = await openAccount(sql)
  const operator = await signedIn(service, { kind: 'operator', name: 'Grace' })
  const { body } = await service.call('POST', '/v1/images/read', {
    key: stranger.liveKey,
    body: { source: `${url}/docs/samples/photo.jpg` },
  })
  const paths = ['/requests', '/overview', `/requests/${body.id}`, `/requests/${body.id}/source`, '/usage', '/webhook']
  for (const path of [...paths, ...paths]) await operator.call('GET', `${path}?account=${stranger.id}`)
  const owner = await signedIn(service, { kind: 'account', accountId: stranger.id })
  await owner.call('GET', '/requests')
  const { data } = (await owner.call('GET', '/audit')).body
  const reads = data.filter(({ action }: { action: string }) => action === 'files.read')
  assert.deepEqual(
    reads.map(({ subject, actor, name }: Record<string, string>) => [subject, actor, name]),
    [
      [`request ${body.id}`, 'operator', 'Grace'],
      ['requests', 'operator', 'Grace'],
    ],
  )
})

test("an operator's calls that change an account's requests or files are in the audit log [console.audit.2]", async () => {
  const stranger = await openAccount(sql)
  const operator = await signedIn(service, { kind: 'operator', name: 'Grace' })
  const asked = `?account=${stranger.id}`
  const source = `${url}/docs/samples/photo.jpg`
  const { body } = await operator.call('POST', `/images/read${asked}`, { body: { source } })
  await operator.call('POST', `/requests/${body.id}/abort${asked}`, { body: {} })
  await operator.call('DELETE', `/requests/${body.id}/files${asked}`)
  await operator.call('POST', `/images/read/estimate${asked}`, { body: { source } })
  const owner = await signedIn(service, { kind: 'account', accountId: stranger.id })
  await owner.call('POST', '/images/read', { body: { source } })
  const { data } = (await owner.call('GET', '/audit')).body
  const calls = data.filter(({ action }: { action: string }) => action === 'api.called')
  assert.deepEqual(
    calls.map(({ subject, actor, name }: Record<string, string>) => [subject, actor, name]),
    [
      [`DELETE /v1/requests/${body.id}/files`, 'operator', 'Grace'],
      [`POST /v1/requests/${body.id}/abort`, 'operator', 'Grace'],
      ['POST /v1/images/read', 'operator', 'Grace'],
    ],
  )
})

test('an account has at most 100 active keys, and can test its webhook ten times a minute [console.limits.2]', async () => {
  const stranger = await openAccount(sql)
  const owner = await signedIn(service, { kind: 'account', accountId: stranger.id })
  await sql`
    insert into api_keys (account_id, name, livemode, hash, last_four)
    select ${stranger.id}, '', true, sha256(('many' || n)::bytea), '' from generate_series(1, 97) n`
  const make = async () => await owner.call('POST', '/keys', { body: { livemode: true } })
  const made = await make()
  assert.equal(made.status, 201)
  const rejected = await make()
  assert.deepEqual([rejected.status, rejected.body.error.code], [409, 'conflict'])
  assert.match(rejected.body.error.message, /at most 100 active keys/)
  await owner.call('DELETE', `/keys/${made.body.id}`)
  assert.equal((await make()).status, 201)
  await sql`update accounts set webhook_url = 'http://127.0.0.1:1/' where id = ${stranger.id}`
  const other = await signedIn(service, { kind: 'account', accountId: stranger.id })
  const responses = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => await (at % 2 === 0 ? owner : other).call('POST', '/webhook/test')),
  )
  const statuses = responses.map(({ status }) => status).toSorted((one, two) => one - two)
  assert.deepEqual(
    statuses,
    Array.from({ length: 20 }, (_, at) => (at < 10 ? 200 : 429)),
  )
})

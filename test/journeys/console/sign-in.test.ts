import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createKey } from '../../../src/accounts/create-key.ts'
import { CONSOLE_ERRORS } from '../../../src/domain/errors.ts'
import { openBrowser, signedIn, tokenFor } from '../../support/browser.ts'
import { openAccount } from '../../support/line.ts'
import { startService } from '../../support/service.ts'

const service = await startService({ workers: false })
after(() => service[Symbol.asyncDispose]())
const { account, sql, url } = service

describe('a sign-in link', () => {
  test('signs in once, by a POST, and a second POST is refused [rulings 20]', async () => {
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

  test('is refused after 15 minutes, and so is one that was made up [rulings 20]', async () => {
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

  test('of two calls at once signs in one alone [rulings 20]', async () => {
    const token = await tokenFor(service, { kind: 'account', accountId: account.id })
    const tries = await Promise.all(
      Array.from({ length: 8 }, () => openBrowser(service).call('POST', '/session', { body: { token } })),
    )
    const counted = [201, 403].map((code) => tries.filter(({ status }) => status === code).length)
    assert.deepEqual(counted, [1, 7])
  })

  test('and its cookie are in the database by their hash alone [rulings 20]', async () => {
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

describe('a session', () => {
  test('is dead with the next call after it was signed out, and another one is ended by name [rulings 20]', async () => {
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
    const { status, body: refused } = await one.call('GET', '/account')
    assert.deepEqual([status, refused.error.code], [401, 'not_signed_in'])
  })

  test('is ended by its own number and by nothing else [rulings 20]', async () => {
    const browser = await signedIn(service, { kind: 'account', accountId: account.id })
    const all = async () => (await browser.call('GET', '/sessions')).body.data.map(({ id }: { id: number }) => id)
    const before = await all()
    assert.ok(before.includes(1), 'the first one of the database is of this account')
    for (const odd of ['x', '-1', '1e0', '0x1', '%201'])
      assert.equal((await browser.call('DELETE', `/sessions/${odd}`)).status, 404, odd)
    assert.deepEqual(await all(), before)
  })

  test('ends 30 days after its last use, and 90 days after it was opened [rulings 20]', async () => {
    for (const change of ["last_used_at = now() - interval '30 days'", "created_at = now() - interval '90 days'"]) {
      const browser = await signedIn(service, { kind: 'account', accountId: account.id })
      const { id } = (await browser.call('GET', '/session')).body
      await sql`update sessions set ${sql.unsafe(change)} where id = ${id}`
      assert.equal((await browser.call('GET', '/session')).status, 401, change)
    }
  })

  test('sees and ends no session of another account [rulings 20]', async () => {
    const stranger = await openAccount(sql)
    const mine = await signedIn(service, { kind: 'account', accountId: account.id })
    const theirs = await signedIn(service, { kind: 'account', accountId: stranger.id })
    const { id } = (await theirs.call('GET', '/session')).body
    assert.equal((await mine.call('DELETE', `/sessions/${id}`)).status, 404)
    assert.equal((await theirs.call('GET', '/session')).status, 200)
    assert.equal((await theirs.call('GET', '/sessions')).body.data.length, 1)
  })
})

describe('a session of an API key', () => {
  test('may do what the key may, in its mode, and sees no keys, secrets or settings [rulings 20]', async () => {
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
      const { status, body: refused } = await browser.call(method, path, { body })
      assert.deepEqual([status, refused.error.code], [403, 'not_allowed'], `${method} ${path}`)
    }
    assert.equal((await browser.call('GET', '/requests')).status, 200)
    assert.equal((await browser.call('DELETE', '/session')).status, 204)
  })

  test('is dead as soon as its key is revoked, and a revoked key opens none [rulings 20]', async () => {
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

test('the cookie is nothing to /v1, and a key in the header nothing to the developer area [rulings 20]', async () => {
  const { cookie } = await signedIn(service, { kind: 'account', accountId: account.id })
  const answer = await fetch(`${url}/v1/account`, { headers: { cookie: cookie ?? '' } })
  assert.equal(answer.status, 401)
  const { status } = await openBrowser(service).call('GET', '/account', {
    headers: { authorization: `Bearer ${account.liveKey}` },
  })
  assert.equal(status, 401)
})

test('every refusal leads to a page that says what its code means [rulings 20]', async () => {
  const { body } = await openBrowser(service).call('GET', '/account')
  const { doc_url: place } = body.error
  assert.ok(place.endsWith('/docs/errors#not_signed_in'), place)
  const page = await (await fetch(place)).text()
  for (const code of Object.keys(CONSOLE_ERRORS)) assert.ok(page.includes(`id="${code}"`), code)
})

test('tries to sign in are counted by address, and refused with the time to wait [rulings 20]', async () => {
  await using other = await startService({ workers: false })
  const statuses: number[] = []
  for (let tried = 0; tried < 31; tried += 1) {
    const { status, headers } = await openBrowser(other).call('POST', '/session', { body: { token: 'x' } })
    statuses.push(status)
    if (status === 429) assert.ok(Number(headers.get('retry-after')) > 0)
  }
  assert.deepEqual([statuses.filter((status) => status === 403).length, statuses.at(-1)], [30, 429])
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openBrowser, signedIn } from '@mediamill/lab/support/browser'
import { until } from '@mediamill/lab/support/process'
import { sharedReceiver } from '@mediamill/lab/support/receiver'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { insertAudit } from '../../../src/db/accounts/audit.ts'

const photo = readFileSync(new URL('../../../src/outbound/fetch/samples/photo.jpg', import.meta.url))

const receiver = await sharedReceiver()
const service = await sharedService({ allowed: [receiver.host] })
const { account, sql, url } = service
const browser = await signedIn(service, { kind: 'account', accountId: account.id })

const sample = `${url}/docs/samples/photo.jpg`
const recipe = { operations: [{ type: 'resize', width: 200, height: 200 }], output: { format: 'png' } }

describe('the playground of the console', () => {
  test('the playground needs no API key to run a test-mode request on a sample file and to wait for the result [console.playground.1]', async () => {
    const { status, body } = await browser.call('POST', '/images/process', {
      body: { source: sample, ...recipe },
      headers: { prefer: 'wait=30' },
    })
    assert.deepEqual([status, body.status, body.livemode, body.price.micro_usd], [200, 'succeeded', false, 0])
    const file = await fetch(body.result.files[0].url)
    assert.equal(file.headers.get('content-type'), 'image/png')
    const shown = await browser.call('GET', `/requests/${body.id}`)
    assert.deepEqual([shown.status, shown.body.id], [200, body.id])
    const [row] = await sql`select test_accepted, open_test from accounts where id = ${account.id}`
    assert.deepEqual([row?.['test_accepted'], row?.['open_test']], [1, 0])
  })

  test('the playground accepts an upload from the browser as its source, and shows the upload later only to its account [console.uploads.1]', async () => {
    const sent = await browser.call('POST', '/uploads', { body: photo, headers: { 'content-type': 'image/jpeg' } })
    assert.equal(sent.status, 201)
    const { id, source } = sent.body
    const { body } = await browser.call('POST', '/images/read', { body: { source }, headers: { prefer: 'wait=30' } })
    assert.equal(body.status, 'succeeded')
    const shown = [`/requests/${body.id}/source`, `/uploads/${id}/content`]
    for (const path of shown) {
      const { status, bytes, headers } = await browser.call('GET', path)
      assert.deepEqual([status, bytes.equals(photo)], [200, true], path)
      assert.equal(headers.get('content-type'), 'image/jpeg')
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
    }
    const stranger = await signedIn(service, { kind: 'account', accountId: (await openAccount(sql)).id })
    const liveKey = openBrowser(service)
    assert.equal((await liveKey.call('POST', '/session', { body: { api_key: account.liveKey } })).status, 201)
    for (const path of [...shown, `/requests/${body.id}`]) {
      assert.equal((await stranger.call('GET', path)).status, 404, path)
      assert.equal((await openBrowser(service).call('GET', path)).status, 401, path)
    }
    assert.equal((await liveKey.call('GET', `/uploads/${id}/content`)).status, 404)
    for (const none of ['upl_0', `upl_${'0'.repeat(32)}`, 'upload:', '%00']) {
      assert.equal((await browser.call('GET', `/uploads/${none}/content`)).status, 404, none)
    }
  })

  test('the playground can run in live mode, shows a price, and lists requests of one mode or both [console.playground.1]', async () => {
    const live = { 'mediamill-mode': 'live' }
    const body = { source: sample, ...recipe }
    const priced = await browser.call('POST', '/images/process/estimate', { body, headers: live })
    assert.deepEqual([priced.status, priced.body.price.minimum.micro_usd > 0], [200, true])
    const made = await browser.call('POST', '/images/process', { body, headers: { ...live, prefer: 'wait=30' } })
    assert.deepEqual([made.body.livemode, made.body.price.micro_usd > 0], [true, true])
    const modes = async (query: string) =>
      (await browser.call('GET', `/requests${query}`)).body.data.map(({ livemode }: { livemode: boolean }) => livemode)
    assert.deepEqual(new Set(await modes('')), new Set([true, false]))
    assert.deepEqual(new Set(await modes('?livemode=true')), new Set([true]))
    const rejected = await browser.call('POST', '/images/process', { body, headers: { 'mediamill-mode': 'free' } })
    assert.equal(rejected.status, 422)
  })

  test("the playground does not count toward the rate limit of the account's API keys [console.playground.1]", async () => {
    const before = await sql`select count(*)::integer as count from call_windows where account_id = ${account.id}`
    for (let nth = 0; nth < 40; nth += 1) assert.equal((await browser.call('GET', '/account')).status, 200)
    const after_ = await sql`select count(*)::integer as count from call_windows where account_id = ${account.id}`
    assert.deepEqual([before[0]?.['count'], after_[0]?.['count']], [0, 0])
    assert.equal((await browser.call('GET', '/operations')).status, 200)
  })
})

test('the console returns a request with the same fields as /v1 [console.api.1]', async () => {
  const { body } = await service.call('POST', '/v1/images/read', { body: { source: sample } })
  await service.settled(body.id)
  const [inConsole, inApi] = [
    await browser.call('GET', `/requests/${body.id}`),
    await service.call('GET', `/v1/requests/${body.id}`),
  ]
  assert.deepEqual(inConsole.body, inApi.body)
})

test('a key created in the console is shown once and works, and is rejected after it is revoked in the console [auth.keys.3, auth.keys.4]', async () => {
  const made = await browser.call('POST', '/keys', { body: { name: 'web shop', livemode: true } })
  const { secret, id } = made.body
  assert.match(secret, /^svc_live_/)
  assert.equal((await service.call('GET', '/v1/account', { key: secret })).status, 200)
  const { body } = await browser.call('GET', '/keys')
  const listed = body.data.find((key: { id: number }) => key.id === id)
  assert.deepEqual([listed.name, listed.last_four], ['web shop', secret.slice(-4)])
  assert.equal(JSON.stringify(body).includes(secret), false)
  assert.equal((await browser.call('DELETE', `/keys/${id}`)).body.revoked_at === null, false)
  assert.equal((await service.call('GET', '/v1/account', { key: secret })).status, 401)
  const stranger = await signedIn(service, { kind: 'account', accountId: (await openAccount(sql)).id })
  const own = (await stranger.call('GET', '/keys')).body.data
  assert.equal((await browser.call('DELETE', `/keys/${own[0].id}`)).status, 404)
  assert.equal((await stranger.call('GET', '/keys')).body.data[0].revoked_at, null)
  for (const wrong of [{}, { livemode: 'yes' }, { livemode: true, name: '' }, { livemode: true, more: 1 }]) {
    const { status, body: rejected } = await browser.call('POST', '/keys', { body: wrong })
    assert.deepEqual([status, rejected.error.code], [422, 'validation_failed'], JSON.stringify(wrong))
  }
})

describe('the webhook settings of the console', () => {
  test('an account owner can set a webhook to a validated URL, test the webhook, and list and resend its events', async () => {
    const blocked = await browser.call('PUT', '/webhook', { body: { url: 'http://10.0.0.1/hook' } })
    assert.deepEqual([blocked.status, blocked.body.error.code], [422, 'url_blocked'])
    assert.equal((await browser.call('PUT', '/webhook', { body: { url: receiver.url() } })).status, 200)
    const tried = await browser.call('POST', '/webhook/test')
    assert.deepEqual([tried.body.delivered, tried.body.status], [true, 204])
    const [first] = await receiver.arrived(1)
    assert.match(String(first?.headers['service-event-id']), /^evt_test_/)
    const { body } = await browser.call('POST', '/images/read', {
      body: { source: sample },
      headers: { prefer: 'wait=30' },
    })
    const [, delivered] = await receiver.arrived(2)
    const { body: page } = await browser.call('GET', `/events?request_id=${body.id}`)
    assert.deepEqual([page.data.length, page.data[0].request], [1, body.id])
    const id = page.data[0].id
    assert.equal(delivered?.headers['service-event-id'], id)
    await untilDelivered(id)
    assert.equal((await browser.call('POST', `/events/${id}/resend`)).status, 202)
    const [, , again] = await receiver.arrived(3)
    assert.deepEqual(
      [again?.headers['service-event-id'], again?.raw.toString() === delivered?.raw.toString()],
      [id, true],
    )
    const stranger = await signedIn(service, { kind: 'account', accountId: (await openAccount(sql)).id })
    assert.equal((await stranger.call('POST', `/events/${id}/resend`)).status, 404)
    assert.equal((await stranger.call('GET', `/events/${id}`)).status, 404)
    assert.deepEqual((await stranger.call('GET', '/events')).body.data, [])
  })

  test('the console shows the webhook secret on demand, and the old secret stays valid for a time after a roll [webhooks.signature.4]', async () => {
    const { body } = await browser.call('POST', '/webhook/secrets/reveal')
    assert.equal(body.secret, account.webhookSecret)
    const rolled = await browser.call('POST', '/webhook/secrets/roll', { body: { overlap_hours: 1 } })
    assert.notEqual(rolled.body.secret, account.webhookSecret)
    const { data } = (await browser.call('GET', '/webhook/secrets')).body
    assert.deepEqual([data.length, data[0].expires_at, data[1].expires_at === null], [2, null, false])
  })

  async function untilDelivered(id: string): Promise<void> {
    const path = `/events/${id}`
    await until(async () => (await browser.call('GET', path)).body.status === 'delivered')
    const { body } = await browser.call('GET', path)
    assert.deepEqual([body.deliveries.length, body.deliveries[0].status], [1, 204])
  }
})

test('the overview and the usage page show both modes and the failures by code, and the overview shows the first steps of a new account', async () => {
  const fresh = await openAccount(sql)
  const newcomer = await signedIn(service, { kind: 'account', accountId: fresh.id })
  const empty = (await newcomer.call('GET', '/overview')).body
  assert.deepEqual(empty.steps, { key_used: false, first_request: false, webhook_set: false })
  assert.deepEqual([empty.days.length, empty.failures, empty.recent], [30, [], []])
  const failing = { source: `${url}/docs/samples/report.pdf` }
  const failed = await newcomer.call('POST', '/images/read', { body: failing, headers: { prefer: 'wait=30' } })
  assert.equal(failed.body.status, 'failed')
  await service.call('GET', '/v1/account', { key: fresh.liveKey })
  const { body } = await newcomer.call('GET', '/overview')
  assert.deepEqual(body.failures, [{ code: 'unsupported_media', requests: 1 }])
  assert.deepEqual([body.days.at(-1).requests, body.recent.length, body.steps.first_request], [1, 1, true])
  assert.deepEqual((await browser.call('GET', '/overview')).body.failures, [])
  const usage = (query: string) => newcomer.call('GET', `/usage${query}`)
  assert.deepEqual((await usage('?mode=test')).body.data.length, 1)
  assert.deepEqual((await usage('')).body.data.length, 0)
})

test('every change in the console is logged with its author, and an account sees only its own log [console.changes.3]', async () => {
  const { body } = await browser.call('GET', '/audit?limit=100')
  const actions = new Set(body.data.map(({ action }: { action: string }) => action))
  for (const action of [
    'sign_in_link.made',
    'session.opened',
    'key.created',
    'key.revoked',
    'webhook.set',
    'event.resent',
    'webhook_secret.revealed',
    'webhook_secret.rolled',
  ]) {
    assert.ok(actions.has(action), action)
  }
  assert.equal(JSON.stringify(body).includes('svc_'), false)
  assert.equal(JSON.stringify(body).includes('whsec_'), false)
  assert.deepEqual(new Set(body.data.map(({ account: whose }: { account: number }) => whose)), new Set([account.id]))
  const page = (await browser.call('GET', '/audit?limit=2')).body
  assert.deepEqual([page.data.length, page.has_more], [2, true])
  const older = (await browser.call('GET', `/audit?limit=2&after=${page.data[1].id}`)).body
  assert.ok(older.data[0].id < page.data[1].id)
})

test('only an operator sees the user and host of a command in the audit log [console.audit.3]', async () => {
  const name = 'root@media-1'
  const change = { accountId: account.id, action: 'key.revoked', subject: '1', detail: {} }
  await insertAudit(sql, { ...change, sessionId: null, actor: 'command', name })
  const operator = await signedIn(service, { kind: 'operator' })
  const namesOf = async (seen: typeof browser) =>
    (await seen.call('GET', `/audit?account=${account.id}`)).body.data
      .filter(({ actor, action }: { actor: string; action: string }) => actor === 'command' && action === 'key.revoked')
      .map((row: { name: string | null }) => row.name)
  assert.deepEqual([await namesOf(operator), await namesOf(browser)], [[name], [null]])
})

test('an operator sees the sandbox level of each worker', async () => {
  const operator = await signedIn(service, { kind: 'operator' })
  const { body } = await operator.call('GET', '/queue')
  assert.match(body.workers[0].isolation, /^(?:bubblewrap|namespaces|landlock|process)$/)
  assert.deepEqual((await operator.call('GET', '/health')).body.isolation.found, [body.workers[0].isolation])
  const { id, role, draining_at } = body.workers[0]
  assert.deepEqual([role, draining_at], ['jobs', null])
  await sql`update workers set draining_at = now() where id = ${id}`
  const { body: later } = await operator.call('GET', '/queue')
  assert.match(later.workers[0].draining_at, /^20/)
  await sql`update workers set draining_at = null where id = ${id}`
})

test('a suspended account sees a notice in the console, and its session can do nothing else [console.sessions.3]', async () => {
  const { id } = await openAccount(sql)
  const suspended = await signedIn(service, { kind: 'account', accountId: id })
  await sql`update accounts set suspended = true where id = ${id}`
  const { status, body } = await suspended.call('GET', '/requests')
  assert.deepEqual([status, body.error.code], [403, 'account_suspended'])
  assert.equal((await suspended.call('GET', '/session')).body.account.suspended, true)
  assert.equal((await openBrowser(service).call('GET', '/session')).status, 401)
})

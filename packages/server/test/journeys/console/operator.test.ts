import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, signedIn } from '@mediamill/lab/support/browser'
import { acceptable, aliveWorker, openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { accept } from '../../../src/requests/accept.ts'
import { claim } from '../../../src/requests/claim.ts'
import { claimNextSegment } from '../../../src/requests/segments/queue.ts'
import { plannedVideo, videoWorker } from '../../../src/requests/segments/segments-fixture.ts'

const service = await sharedService({ workers: false })
const { account, sql, url } = service
const operator = await signedIn(service, { kind: 'operator' })

test('an operator opens and finds an account, and gives its owner a sign-in link [console.sign_in.3]', async () => {
  const made = await operator.call('POST', '/accounts', { body: { name: 'Grace Hopper', email: 'Grace@Example.com' } })
  const { id } = made.body.account
  assert.match(made.body.live_key, /^svc_live_/)
  assert.equal((await service.call('GET', '/v1/account', { key: made.body.live_key })).body.id, id)
  const find = async (search: string) =>
    (await operator.call('GET', `/accounts?search=${encodeURIComponent(search)}`)).body.data.map(
      (row: { id: number }) => row.id,
    )
  assert.deepEqual([await find('grace h'), await find('GRACE@'), await find(String(id))], [[id], [id], [id]])
  assert.deepEqual([await find('hopper'), await find('%'), await find('gr_ce')], [[], [], []])
  const page = (await operator.call('GET', '/accounts?limit=1')).body
  assert.deepEqual([page.data[0].id, page.has_more], [id, true])
  assert.equal((await operator.call('GET', `/accounts?limit=1&after=${id}`)).body.data[0].id, account.id)
  const link = await operator.call('POST', `/accounts/${id}/sign-in-links`)
  assert.ok(link.body.url.startsWith(`${url}/console/#token=`))
  const owner = openBrowser(service)
  const opened = await owner.call('POST', '/session', { body: { token: link.body.url.split('#token=')[1] } })
  assert.deepEqual([opened.body.kind, opened.body.account.id], ['account', id])
  assert.equal((await operator.call('POST', '/accounts/999999/sign-in-links')).status, 404)
})

test("an operator's credit is booked once per reference and corrected with a reason, and the ledger matches [operator.commands.4]", async () => {
  const { id } = await openAccount(sql)
  const credit = (amount: string, reference = 'invoice 7') =>
    operator.call('POST', `/accounts/${id}/credit`, { body: { amount, reference } })
  const first = await credit('25.00')
  assert.deepEqual([first.status, first.body.balance.amount, first.body.tier], [201, '26.000000', 'paid'])
  const again = await credit('25.00')
  assert.deepEqual([again.status, again.body.balance.amount], [200, '26.000000'])
  const other = await credit('30.00')
  assert.deepEqual([other.status, other.body.error.code], [409, 'conflict'])
  for (const wrong of ['0', '-1', 'ten', '1.0000001', '']) assert.equal((await credit(wrong)).status, 422, wrong)
  const adjusted = await operator.call('POST', `/accounts/${id}/adjustments`, {
    body: { amount: '-0.50', reason: 'charged twice' },
  })
  assert.deepEqual([adjusted.status, adjusted.body.balance.amount], [201, '25.500000'])
  const ledger = (await operator.call('GET', `/ledger?account=${id}`)).body.data
  assert.deepEqual(
    ledger.map(({ kind, reference }: { kind: string; reference: string }) => [kind, reference]),
    [
      ['adjustment', 'charged twice'],
      ['purchase', 'invoice 7'],
      ['grant', 'free credit of a new account'],
    ],
  )
  assert.equal((await operator.call('POST', '/ledger/verify')).body.agrees, true)
  const today = (await operator.call('GET', '/revenue?days=7')).body.data
  assert.deepEqual([today.length, today.at(-1).purchases.micro_usd >= 25_000_000], [7, true])
  await sql`update accounts set balance = balance + 1 where id = ${id}`
  assert.equal((await operator.call('POST', '/ledger/verify')).body.agrees, false)
  await sql`update accounts set balance = balance - 1 where id = ${id}`
})

test('an operator sets and resets limits, and the keys of a suspended account are rejected at once [limits.own.1, auth.keys.6]', async () => {
  const { id, liveKey } = await openAccount(sql)
  const change = (body: object) => operator.call('PATCH', `/accounts/${id}`, { body })
  const limited = await change({ limits: { requests_per_minute: 7 }, name: 'Renamed' })
  assert.deepEqual([limited.body.limits.requests_per_minute, limited.body.name], [7, 'Renamed'])
  assert.equal((await change({ limits: { requests_per_minute: null } })).body.limits.requests_per_minute, 30)
  assert.equal((await change({ suspended: true })).body.suspended, true)
  assert.equal((await service.call('GET', '/v1/account', { key: liveKey })).status, 403)
  assert.equal((await operator.call('GET', `/requests?account=${id}`)).status, 200)
  await change({ suspended: false })
  assert.equal((await service.call('GET', '/v1/account', { key: liveKey })).status, 200)
  for (const wrong of [
    { limits: { requests_per_minute: 0 } },
    { suspended: 'no' },
    { name: 'a\nb' },
    { tier: 'paid' },
  ]) {
    assert.equal((await change(wrong)).status, 422, JSON.stringify(wrong))
  }
})

test('the queue page shows waiting, running, and retried requests, with their workers', async () => {
  const [first, second] = [await accept(sql, acceptable(account.id)), await accept(sql, acceptable(account.id))]
  const workerId = await aliveWorker(sql)
  await claim(sql, workerId, 'image', [])
  await sql`update requests set attempt = 2 where id = ${first.id}`
  const { body } = await operator.call('GET', '/queue')
  const lane = body.lanes.find(({ lane: name }: { lane: string }) => name === 'image')
  assert.deepEqual([lane.queued, lane.running], [1, 1])
  const ids = (rows: { id: number }[]) => rows.map(({ id }) => id)
  assert.deepEqual([ids(body.running), ids(body.retried), ids(body.waiting)], [[first.id], [first.id], [second.id]])
  assert.deepEqual([body.workers[0].id, body.workers[0].alive, body.workers[0].running], [workerId, true, 1])
  const health = (await operator.call('GET', '/health')).body
  assert.deepEqual([health.ready, health.workers_alive, health.checks.database], [true, 1, true])
})

test('the queue page shows split videos, and the worker of each segment', async () => {
  const [holder, other] = [await videoWorker(sql), await videoWorker(sql)]
  const video = await plannedVideo(sql, holder, 4)
  const part = await claimNextSegment(sql, other)
  assert.ok(part)
  const { body } = await operator.call('GET', '/queue')
  const { oldest_seconds: oldest, ...parts } = body.parts
  assert.deepEqual(parts, { videos: 1, workers: 1, waiting: 3, running: 1, done: 0 })
  assert.ok(oldest >= 0)
  const partsOf = (id: string) => body.workers.find((worker: { id: string }) => worker.id === id).parts
  assert.deepEqual([partsOf(holder), partsOf(other)], [0, 1])
  await sql`
    update video_parts set completed_at = now(), key = 'made', size = 1, data = '{}'
    where request_id = ${video.lease.id} and number = (select max(number) from video_parts)`
  const again = (await operator.call('GET', '/queue')).body
  const row = again.running.find(({ id }: { id: number }) => id === video.lease.id)
  assert.deepEqual([row.parts, row.worker], [{ total: 4, made: 1 }, holder])
  const others = [...again.running, ...again.waiting].filter(({ id }: { id: number }) => id !== video.lease.id)
  assert.deepEqual(
    others.filter(({ parts: found }: { parts: unknown }) => found !== null),
    [],
  )
})

test('an operator lists abandoned webhook events, and resends all of them together [webhooks.deliveries.4]', async () => {
  const { id } = await openAccount(sql)
  const made = await accept(sql, acceptable(id, { webhookUrl: 'https://example.com/hook' }))
  await sql`
    insert into events (id, account_id, request_id, type, url, status)
    values ('evt_given_up', ${id}, ${made.id}, 'request.failed', 'https://example.com/hook', 'undelivered')`
  const { body } = await operator.call('GET', `/undelivered?account=${id}`)
  assert.deepEqual([body.data.length, body.data[0].id], [1, 'evt_given_up'])
  const sent = await operator.call('POST', '/undelivered/resend-all', { body: { account: id } })
  assert.deepEqual(sent.body, { resent: 1, left: false })
  assert.deepEqual((await operator.call('GET', `/undelivered?account=${id}`)).body.data, [])
  const [row] = await sql`select status from events where id = 'evt_given_up'`
  assert.equal(row?.['status'], 'pending')
  for (const account of [0, -1, 2_147_483_648])
    assert.equal((await operator.call('POST', '/undelivered/resend-all', { body: { account } })).status, 404)
})

test('an operator must name the account in each call for account data, unless the sign-in link was for one account', async () => {
  const without = await operator.call('GET', '/requests')
  assert.deepEqual([without.status, without.body.error.errors[0].param], [422, 'account'])
  assert.equal((await operator.call('GET', `/account?account=${account.id}`)).body.id, account.id)
  assert.equal((await operator.call('GET', '/account?account=999999')).status, 404)
  const owner = await signedIn(service, { kind: 'operator', accountId: account.id })
  assert.equal((await owner.call('GET', '/account')).body.id, account.id)
  const audit = (await operator.call('GET', '/audit?limit=100')).body.data
  for (const action of ['account.created', 'credit.bought', 'credit.adjusted', 'account.changed', 'events.resent']) {
    assert.ok(
      audit.some((row: { action: string; actor: string }) => row.action === action && row.actor === 'operator'),
      action,
    )
  }
})

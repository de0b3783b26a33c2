import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { claim, updateProgress } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

const service = await sharedService({ workers: false })
const { call, sql } = service

const body = { source: 'https://1.1.1.1/a.jpg' }
const start = async (path = 'images/read', key = service.account.liveKey) =>
  (await call('POST', `/v1/${path}`, { key, body })).body

async function take() {
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken)
  return taken
}

test('paging through a list returns each request once, even if more requests are created during paging [requests.list.1]', async () => {
  const mine = await openAccount(sql)
  await sql`update accounts set requests_per_minute = 1000, concurrent_requests = 1000 where id = ${mine.id}`
  const many = async () =>
    (await Promise.all(Array.from({ length: 12 }, () => start('images/read', mine.liveKey)))).map(({ id }) => id)
  const ids = (await many()).toSorted((a, b) => b - a)
  await sql`update requests set created_at = now() where account_id = ${mine.id}`
  // `before` also accepts the id of a request of another account.
  let before = (await start()).id
  const walked: number[] = []
  for (let more = true; more; ) {
    const later = many()
    const { body: page } = await call('GET', `/v1/requests?limit=5&before=${before}`, { key: mine.liveKey })
    walked.push(...page.data.map(({ id }: { id: number }) => id))
    before = walked.at(-1)
    more = page.has_more
    await later
  }
  assert.deepEqual(walked, ids)
})

test('a video request shows its progress during processing: from 0, only increasing, 99 at most [requests.object.4]', async () => {
  const { id } = (await call('POST', '/v1/videos/read', { body })).body
  const read = async () => (await call('GET', `/v1/requests/${id}`)).body
  assert.equal('progress' in (await read()), false, 'a queued request has none')
  const taken = await claim(sql, await aliveWorker(sql), 'video_look', [])
  assert.equal(taken?.request.id, id)
  const seen = [(await read()).progress]
  for (const percent of [0.4, 41.9, 12, 42, 99.9, 100, 250]) {
    if (taken !== undefined) await updateProgress(sql, taken.lease, percent)
    seen.push((await read()).progress)
  }
  assert.deepEqual(seen, [0, 0, 41, 41, 42, 99, 99, 99])
  if (taken !== undefined) await settle(sql, taken.lease, succeeded(2_000, 'videos/read'), RETENTION_MS)
  assert.equal('progress' in (await read()), false, 'a finished request has none')
})

test('a finished request has the duration of each stage, and the time when its files expire [requests.object.6, requests.object.7]', async () => {
  await sql`update requests set completed_at = now(), status = 'aborted', worker_id = null where completed_at is null`
  const { id } = await start()
  const outcome = { ...succeeded(500, 'images/read'), files: [], took: { downloadMs: 30, processMs: 20, storeMs: 0 } }
  await settle(sql, (await take()).lease, outcome, RETENTION_MS)
  await sql`update requests set created_at = completed_at - interval '75 milliseconds' where id = ${id}`
  const { timings, result, completed_at } = (await call('GET', `/v1/requests/${id}`)).body
  assert.deepEqual(timings, { queued_ms: 25, download_ms: 30, process_ms: 20, store_ms: 0, total_ms: 75 })
  assert.deepEqual(result.files, [])
  assert.equal(Date.parse(result.deleted_at) - Date.parse(completed_at), 7 * 86_400_000)

  const aborted = await start()
  const response = (await call('POST', `/v1/requests/${aborted.id}/abort`)).body
  const { total_ms, queued_ms, ...rest } = response.timings
  assert.equal(total_ms, Date.parse(response.completed_at) - Date.parse(response.created_at))
  assert.equal(queued_ms, total_ms)
  assert.deepEqual(rest, { download_ms: 0, process_ms: 0, store_ms: 0 })
})

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createRandom } from '@mediamill/lab/support/random'
import { sharedService } from '@mediamill/lab/support/service'
import { startCuttingProxy } from '@mediamill/lab/support/tcp-proxy'
import { Mediamill } from '@mediamill/sdk/src/index'
import { CLOCK, withClock } from '@mediamill/sdk/src/transport/clock'

const service = await sharedService({ workers: false })
await service.sql`update accounts set concurrent_requests = 100000 where id = ${service.account.id}`

const clock = { ...CLOCK, sleep: async () => {} }
const options = { apiKey: service.account.liveKey, maxRetries: 100 }
/** A `fetch` that opens a new connection for each call, so that a cut affects only one call. */
const fetchAlone: typeof fetch = async (url, init) => {
  const headers = new Headers(init?.headers)
  headers.set('connection', 'close')
  return await fetch(url, { ...init, headers })
}

test('1,000 calls over connections that are cut at random bytes each create exactly one request [idempotency.binding.2]', async (t) => {
  const random = createRandom(1000)
  // Cut up to slightly after the end of a call, so that some calls succeed, and some lose only their response.
  await using proxy = await startCuttingProxy(service.url, () =>
    random.chance(0.6) ? random.integer(1, 600) : undefined,
  )
  const client = new Mediamill(withClock({ ...options, baseUrl: proxy.url, fetch: fetchAlone }, clock))
  const ids = new Set<number>()
  for (let run = 0; run < 1000; run += 10) {
    const started = Array.from({ length: 10 }, async (_, index) => {
      const call = { source: `${service.url}/docs/samples/photo.jpg`, metadata: { run: String(run + index) } }
      return (await client.images.read(call)).id
    })
    for (const id of await Promise.all(started)) ids.add(id)
  }
  const [row] = await service.sql`select count(*)::int as rows, count(distinct id)::int as ids from requests`
  t.diagnostic(`${proxy.cuts} connections were cut`)
  assert.equal(ids.size, 1000)
  assert.deepEqual({ ...row }, { rows: 1000, ids: 1000 })
  assert.ok(proxy.cuts > 300, `${proxy.cuts} connections were cut`)
})

test('an upload arrives complete over connections that are cut, both in a single call and in several calls [uploads.tus.3]', async (t) => {
  const random = createRandom(4)
  await using proxy = await startCuttingProxy(service.url, () =>
    random.chance(0.7) ? random.integer(1, 20_000_000) : undefined,
  )
  const viaProxy: typeof fetch = async (url, init) =>
    await fetchAlone((url as string).replace(service.url, proxy.url), init)
  const client = new Mediamill(withClock({ ...options, baseUrl: proxy.url, fetch: viaProxy }, clock))
  for (const size of [3_000_000, 40_000_000]) {
    const bytes = randomBytes(size)
    const upload = await client.uploads.create(new Blob([bytes]))
    assert.equal(upload.sha256, createHash('sha256').update(bytes).digest('hex'))
  }
  t.diagnostic(`${proxy.cuts} connections were cut`)
  assert.ok(proxy.cuts > 0)
})

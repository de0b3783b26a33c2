import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PDFDocument } from '@cantoo/pdf-lib'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { quarters } from '@mediamill/lab/support/images'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { makeClip } from '@mediamill/lab/support/video-clip'

const sources = await sharedSourceServer({ '/a.png': await quarters(8, 8), '/five.pdf': await documentOf(5) })
const folder = await mkdtemp(join(tmpdir(), 'mediamill-estimates-'))
// The video lasts 65 s, so two minutes are charged. With a max_duration, only one minute is.
await makeClip(join(folder, 'long.mp4'), { container: 'mp4', width: 32, height: 32, frames: 65, rate: 1 })
sources.files.set('/long.mp4', await readFile(join(folder, 'long.mp4')))
await rm(folder, { recursive: true })
const service = await sharedService({ allowed: [sources.host] })

async function documentOf(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let number = 1; number <= pages; number += 1) document.addPage([300, 200])
  return Buffer.from(await document.save())
}

const grayscale = { operations: [{ type: 'grayscale' }] }
const pages = () => ({ operations: [{ type: 'watermark', image_url: sources.url('/a.png'), x: 1, y: 1 }] })

test('the charge never exceeds the estimate, and equals the estimate if the price depends only on parameters [estimates.price.1]', async () => {
  const expected: [endpoint: string, path: string, body: object, units: [number, number | null], charged: number][] = [
    ['images/process', '/a.png', grayscale, [1, 1], 2_000],
    ['images/read', '/a.png', {}, [1, 1], 500],
    ['videos/process', '/long.mp4', grayscale, [1, null], 40_000],
    ['videos/process', '/long.mp4', { ...grayscale, max_duration: 60 }, [1, 1], 20_000],
    ['videos/process', '/long.mp4', { ...grayscale, max_duration: 61 }, [1, 2], 40_000],
    ['videos/process', '/long.mp4', { ...grayscale, max_duration: 121 }, [1, 3], 40_000],
    ['videos/read', '/long.mp4', {}, [1, 1], 1_000],
    ['videos/screenshot', '/long.mp4', { seconds: 3 }, [1, 1], 2_000],
    ['documents/process', '/five.pdf', pages(), [1, null], 20_000],
    ['documents/process', '/five.pdf', { ...pages(), max_pages: 3 }, [1, 3], 12_000],
    ['documents/process', '/five.pdf', { ...pages(), max_pages: 9 }, [1, 9], 20_000],
    ['documents/process', '/five.pdf', { ...pages(), max_pages: 1 }, [1, 1], 4_000],
    ['documents/read', '/five.pdf', {}, [1, 1], 500],
    ['documents/snapshot', '/five.pdf', { page: 2 }, [1, 1], 2_000],
  ]
  assert.equal(new Set(expected.map(([endpoint]) => endpoint)).size, ENDPOINTS.length)
  for (const [endpoint, path, fields, [minimum, maximum], charged] of expected) {
    const body = { source: sources.url(path), ...fields }
    const { status, body: estimate } = await service.call('POST', `/v1/${endpoint}/estimate`, { body })
    const what = `${endpoint} ${JSON.stringify(fields)}`
    assert.equal(status, 200, what)
    const unit = estimate.unit_price.micro_usd
    assert.deepEqual([estimate.object, estimate.endpoint, estimate.affordable], ['estimate', endpoint, true])
    assert.deepEqual(estimate.units, { minimum, maximum }, what)
    assert.deepEqual(
      [estimate.price.minimum.micro_usd, estimate.price.maximum?.micro_usd],
      [unit * minimum, maximum === null ? undefined : unit * maximum],
      what,
    )
    const { status: end, price } = await service.finish(`/v1/${endpoint}`, body)
    assert.deepEqual([end, price.micro_usd], ['succeeded', charged], what)
    assert.ok(charged >= unit * minimum && (maximum === null || charged <= unit * maximum), what)
    if (minimum === maximum) assert.equal(charged, unit * minimum, what)
  }
})

test('an estimate starts no request, writes no rows, and does not use up an idempotency key [estimates.calls.1, estimates.calls.2]', async () => {
  const tables = await service.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`
  const countRows = async () =>
    Object.fromEntries(
      await Promise.all(
        tables
          .filter(({ name }) => !['calls', 'workers'].includes(name))
          .map(async ({ name }) => [
            name,
            (await service.sql<{ rows: number }[]>`select count(*)::integer as rows from ${service.sql(name)}`)[0]
              ?.rows,
          ]),
      ),
    )
  const held = async () => (await service.call('GET', '/v1/account')).body.held.micro_usd
  const before = [await countRows(), await held()]
  assert.ok(Object.keys(before[0] ?? {}).length > 5)
  sources.calls.length = 0
  const headers = { 'idempotency-key': 'an-estimate' }
  const body = { source: sources.url('/a.png'), ...grayscale }
  for (const customer of ['one', 'two']) {
    const { status } = await service.call('POST', '/v1/images/process/estimate', {
      body: { ...body, customer },
      headers,
    })
    assert.equal(status, 200)
  }
  assert.deepEqual([await countRows(), await held()], before)
  assert.deepEqual(sources.calls, [], 'the file was not fetched')
  const { headers: answered } = await service.call('POST', '/v1/images/process/estimate', { body })
  const { headers: next } = await service.call('POST', '/v1/images/process/estimate', { body })
  const left = (from: Headers) => Number(from.get('x-ratelimit-remaining'))
  assert.equal(left(next), left(answered) - 1, 'it counts as a call')
})

test('an estimate returns the same errors as the endpoint that it estimates [estimates.calls.1]', async () => {
  const { liveKey } = await openAccount(service.sql)
  const source = sources.url('/a.png')
  const bodies: [string, unknown, string?][] = [
    ['images/process', { source }],
    ['images/process', { source, operations: [{ type: 'resize', width: 0 }], shine: 1 }],
    ['images/process', { source: 'http://127.0.0.1/a.png', webhook_url: 'ftp://example.com', ...grayscale }],
    ['documents/process', { source, operations: [{ type: 'watermark', image_url: 'http://10.0.0.1/', x: 0, y: 0 }] }],
    ['images/read', []],
    ['images/read', '{"source": "'],
    ['videos/read', { source }, liveKey],
  ]
  for (const [endpoint, body, key] of bodies) {
    const [asked, estimated] = await Promise.all(
      [`/v1/${endpoint}`, `/v1/${endpoint}/estimate`].map(async (path) => {
        const { status, body: response } = await service.call(
          'POST',
          path,
          key === undefined ? { body } : { body, key },
        )
        const { request_id: _, ...error } = response.error
        return { status, error }
      }),
    )
    assert.ok(Number(asked?.status) >= 400)
    assert.deepEqual(estimated, asked, JSON.stringify(body))
  }
  const withoutKey = await service.call('POST', '/v1/images/read/estimate', { key: null, body: { source } })
  assert.equal(withoutKey.body.error.code, 'missing_api_key')
})

test('an estimate reports whether the credit is sufficient, and the price is zero with a test key [estimates.calls.2, estimates.price.1]', async () => {
  const { id, liveKey: key, testKey } = await openAccount(service.sql)
  await service.sql`insert into ledger (account_id, kind, amount) values (${id}, 'adjustment', -998000)`
  await service.sql`update accounts set balance = 2000 where id = ${id}`
  const estimate = async (path: string, used: string) => {
    const body = { source: sources.url('/a.png'), ...(path.startsWith('images') ? grayscale : pages()) }
    return (await service.call('POST', `/v1/${path}/estimate`, { key: used, body })).body
  }
  assert.equal((await estimate('images/process', key)).affordable, true, 'to the last cent')
  const dearer = await estimate('documents/process', key)
  assert.deepEqual([dearer.affordable, dearer.price.minimum.micro_usd], [false, 4_000])
  const free = await estimate('images/process', testKey)
  assert.deepEqual(
    [free.affordable, free.unit_price.micro_usd, free.price.minimum.micro_usd, free.price.maximum.micro_usd],
    [true, 2_000, 0, 0],
  )
  await service.sql`update accounts set test_accepted = 100, test_day = (now() at time zone 'utc')::date where id = ${id}`
  assert.equal((await estimate('images/process', testKey)).object, 'estimate', 'the day of a test key is full')
})

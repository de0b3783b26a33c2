import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { quarters } from '@mediamill/lab/support/images'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import type { SourceHandler } from '@mediamill/lab/support/source-server'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'

const MIB = 1024 * 1024
const photo = await quarters(40, 30)
const padded = (size: number) => Buffer.concat([photo, Buffer.alloc(size - photo.length)])
const redirect =
  (location?: string): SourceHandler =>
  (_call, response) =>
    response.writeHead(302, location === undefined ? {} : { location }).end()

const sources = await sharedSourceServer({ '/photo.png': photo })
const service = await sharedService({ allowed: [sources.host] })

const REDIRECTS: [name: string, location: string | undefined, code: string][] = [
  ['private', 'http://10.0.0.1/a.png', 'url_blocked'],
  ['metadata', 'http://169.254.169.254/latest/meta-data/', 'url_blocked'],
  ['internal', 'http://vault.internal/', 'url_blocked'],
  ['port', 'https://1.1.1.1:8443/a.png', 'url_invalid'],
  ['scheme', 'file:///etc/passwd', 'url_invalid'],
  ['user', 'https://user@1.1.1.1/', 'url_invalid'],
  ['nobody', 'https://name.invalid/a.png', 'url_unresolvable'],
  ['nowhere', undefined, 'source_unreachable'],
  ['once-more', '/hop-1', 'source_unreachable'],
]
for (const [name, location] of REDIRECTS) sources.files.set(`/${name}`, redirect(location))
for (const hop of [1, 2, 3]) sources.files.set(`/hop-${hop}`, redirect(hop === 3 ? '/photo.png' : `/hop-${hop + 1}`))

test('a watermark image that redirects to a blocked URL fails the request with the code of the URL and the index of the operation [sources.urls.6, errors.failures.2]', async () => {
  for (const [name, , code] of REDIRECTS) {
    const operations = [{ type: 'grayscale' }, { type: 'watermark', image_url: sources.url(`/${name}`), x: 0, y: 0 }]
    const { error } = await service.finish('/v1/images/process', { source: sources.url('/photo.png'), operations })
    assert.deepEqual([error?.code, error?.operation], [code, 1], name)
  }
})

test('a source at the size limit of its key is accepted, and one more byte fails with source_too_large, for test and live keys [sources.size.1]', async () => {
  const { sql } = service
  const [free, own] = [await openAccount(sql), await openAccount(sql, microUsd(1_000_000))]
  await sql`update accounts set max_source_bytes = 5000 where id = ${own.id}`
  const cases: [key: string, largest: number][] = [
    [free.testKey, 10 * MIB],
    [free.liveKey, 25 * MIB],
    [own.liveKey, 5000],
    [own.testKey, 10 * MIB],
  ]
  /** Waits until a new request has finished. Polls the database, because a test key allows only ten calls a minute. */
  const finish = async (path: string, key: string) => {
    await sql`delete from call_windows`
    const { body } = await service.call('POST', '/v1/images/read', { key, body: { source: sources.url(path) } })
    const isFinal = async () =>
      (await sql`select from requests where id = ${body.id} and completed_at is not null`).count
    await until(async () => (await isFinal()) === 1)
    return (await service.call('GET', `/v1/requests/${body.id}`, { key })).body
  }
  for (const [key, largest] of cases) {
    sources.files.set('/at.png', padded(largest))
    const taken = await finish('/at.png', key)
    assert.deepEqual([taken.status, taken.result?.data.size], ['succeeded', largest], JSON.stringify(taken.error))
    sources.files.set('/past.png', padded(largest + 1))
    const rejected = await finish('/past.png', key)
    assert.deepEqual([rejected.status, rejected.error?.code], ['failed', 'source_too_large'])
    assert.match(rejected.error.message, largest === 5000 ? /4\.9 KB/ : new RegExp(`${largest / MIB} MB`))
  }
})

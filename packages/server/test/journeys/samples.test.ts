import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { SAMPLE_NAMES, SAMPLES, sampleUrl } from '@mediamill/contract/objects/samples'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

/** A service that may not fetch from loopback, but accepts the URLs of its samples. */
const service = await sharedService()
const { call, finish } = service
const description: Json = (await call('GET', '/v1/openapi.json', { key: null })).body
const exampleOf = (name: string): Json =>
  description.paths[`/v1/${name}`].post.requestBody.content['application/json'].example

test('every sample file is public and has its correct type, and no other file in its folder is served [sources.samples.1]', async () => {
  for (const name of SAMPLE_NAMES) {
    const response = await fetch(sampleUrl(service.url, name))
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, SAMPLES[name]])
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(await readFile(sampleFile(name))))
  }
  for (const name of ['none.jpg', '..%2fdownload.ts', 'photo.jpg%00', 'toString']) {
    assert.equal((await fetch(`${service.url}/docs/samples/${name}`)).status, 404, name)
  }
})

test('every example in the OpenAPI description runs unchanged on a service without ALLOWED_PRIVATE_HOSTS', async () => {
  for (const endpoint of ENDPOINTS) {
    const request = await finish(`/v1/${endpoint.name}`, exampleOf(endpoint.name))
    assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
    const { size, bitrate, ...metadata } = request.result.data
    const { size: _size, bitrate: _bitrate, ...shown } = endpoint.example.data
    assert.deepEqual(metadata, shown, endpoint.name)
    assert.ok(size > 0)
  }
})

test('a source on this service must be the exact address of a sample, and a webhook URL on this service is rejected [sources.samples.1]', async () => {
  const sample = sampleUrl(service.url, 'photo.jpg')
  const rejected = [
    `${sample}?a=1`,
    `${sample}#a`,
    `${sample}/`,
    sample.replace('127.0.0.1', 'localhost'),
    sample.replace('/docs/', '/docs/../docs/'),
    sample.replace('http:', 'HTTP:'),
    sample.replace('photo', 'none'),
    `${service.url}/v1/account`,
    `${service.url}/metrics`,
  ]
  for (const source of rejected) {
    const { status, body } = await call('POST', '/v1/images/read', { body: { source } })
    assert.deepEqual([status, body.error.param], [422, 'source'], source)
  }
  const hook = { source: sample, webhook_url: sample }
  const { status, body } = await call('POST', '/v1/images/read', { body: hook })
  assert.deepEqual([status, body.error.param], [422, 'webhook_url'])
})

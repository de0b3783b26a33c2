import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signedIn } from '@mediamill/lab/support/browser'
import { quarters } from '@mediamill/lab/support/images'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'

const BLOCKED = ['http://93.184.216.34/a', 'https://[2606:4700:4700::1111]/a', 'http://1572395042/a']

const NEXT_STEP = /^\S+: The operator of this service blocks the host \S+\. Send a URL of another host\.$/

const sources = await sharedSourceServer({ '/photo.png': await quarters(40, 30) })
const service = await sharedService({
  allowed: [sources.host],
  settings: { BLOCKED_NETWORKS: '93.184.216.0/24, 2606:4700:4700::1111' },
})
for (const [index, url] of BLOCKED.entries()) {
  sources.files.set(`/redirect-${index}`, (_call, response) => response.writeHead(302, { location: url }).end())
}

test('the service rejects a URL in BLOCKED_NETWORKS with 422 url_blocked, in any field', async () => {
  const source = sources.url('/photo.png')
  for (const url of BLOCKED) {
    const watermark = { type: 'watermark', image_url: url, x: 0, y: 0 }
    const grayscale = { type: 'grayscale' }
    const bodies: [string, Record<string, unknown>][] = [
      ['source', { source: url, operations: [grayscale] }],
      ['webhook_url', { source, webhook_url: url, operations: [grayscale] }],
      ['operations.1.image_url', { source, operations: [grayscale, watermark] }],
      ['output.destination.url', { source, operations: [grayscale], output: { destination: { url } } }],
    ]
    for (const [param, body] of bodies) {
      const response = await service.call('POST', '/v1/images/process', { body })
      assert.deepEqual(
        [response.status, response.body.error.code, response.body.error.param],
        [422, 'url_blocked', param],
        url,
      )
      assert.match(response.body.error.message, NEXT_STEP)
    }
    const browser = await signedIn(service, { kind: 'account', accountId: service.account.id })
    const response = await browser.call('PUT', '/webhook', { body: { url } })
    assert.deepEqual([response.status, response.body.error.code], [422, 'url_blocked'], url)
  }
})

test('a redirect to an address in BLOCKED_NETWORKS fails the request with url_blocked', async () => {
  for (const index of BLOCKED.keys()) {
    const source = sources.url(`/redirect-${index}`)
    const { error } = await service.finish('/v1/images/read', { source })
    assert.equal(error?.code, 'url_blocked', BLOCKED[index])
    assert.match(error.message, /blocks the host of the URL\. Send a URL of another host\.$/)
    const operations = [{ type: 'watermark', image_url: source, x: 0, y: 0 }]
    const body = { source: sources.url('/photo.png'), operations }
    assert.equal((await service.finish('/v1/images/process', body)).error?.code, 'url_blocked', BLOCKED[index])
  }
})

test('sources on ALLOWED_PRIVATE_HOSTS that are not in BLOCKED_NETWORKS are processed', async () => {
  assert.equal((await service.finish('/v1/images/read', { source: sources.url('/photo.png') })).status, 'succeeded')
  const body = { source: 'http://93.184.217.34/a' }
  assert.equal((await service.call('POST', '/v1/images/read', { body })).status, 202)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConformingService } from '@mediamill/lab/support/conforming-service'
import { startHaProxy } from '@mediamill/lab/support/haproxy'
import { freePort, run } from '@mediamill/lab/support/process'
import { startSwift, useCredentials, whyNoSwift } from '@mediamill/lab/support/s3-server'
import { whyNo } from '@mediamill/lab/support/skip-reason'

const options = { skip: whyNo('haproxy') ?? whyNoSwift() ?? false, timeout: 240_000 }

test(
  'the command mediamill conformance passes for a service with a bucket behind the shipped HAProxy configuration',
  options,
  async () => {
    const port = await freePort()
    await using bucket = await startSwift()
    useCredentials(bucket)
    await using service = await startConformingService({
      BASE_URL: `https://localhost:${port}`,
      TRUSTED_PROXIES: '127.0.0.1',
      STORAGE_URL: bucket.storageUrl,
    })
    const apiPort = Number(new URL(service.given.baseUrl).port)
    await using proxy = await startHaProxy([apiPort, apiPort], port)
    const { key, secret, listenOn } = service.given
    // A test key allows ten calls per minute, so its checks would take a minute. CI runs them without a proxy (.ci/run).
    const { test: _, ...keys } = service.given.keys
    const settings = [
      '--base-url',
      proxy.url,
      '--key',
      key,
      '--listen',
      listenOn ?? '',
      '--webhook-secret',
      secret ?? '',
    ]
    const others = Object.entries(keys).flatMap(([name, value]) => [`--${name}-key`, value ?? ''])
    const command = run(['conformance', '--short', ...settings, ...others], {
      LOG_LEVEL: 'fatal',
      NODE_EXTRA_CA_CERTS: proxy.certificate,
    })
    const code = await command.ended
    assert.equal(code, 0, command.out() + command.err())
  },
)

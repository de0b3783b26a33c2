import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConformingService } from '@mediamill/lab/support/conforming-service'
import { startNginx, whyNoNginx } from '@mediamill/lab/support/nginx'
import { freePort, run } from '@mediamill/lab/support/process'

const options = { skip: whyNoNginx() ?? false, timeout: 240_000 }

test('mediamill conformance passes for a service behind the shipped proxy', options, async () => {
  const port = await freePort()
  await using service = await startConformingService({ BASE_URL: `http://127.0.0.1:${port}` })
  const apiPort = Number(new URL(service.given.baseUrl).port)
  await using proxy = await startNginx([apiPort, apiPort], port)
  const { key, keys, secret, listenOn } = service.given
  const settings = ['--base-url', proxy.url, '--key', key, '--listen', listenOn ?? '', '--webhook-secret', secret ?? '']
  const others = Object.entries(keys).flatMap(([name, value]) => [`--${name}-key`, value ?? ''])
  const command = run(['conformance', '--json', '--short', ...settings, ...others], { LOG_LEVEL: 'fatal' })
  const code = await command.ended
  assert.equal(code, 0, command.err())
})

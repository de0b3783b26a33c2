import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { after, test } from 'node:test'

/** The URLs of modules that are loaded after this line, such as the imports below. */
const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
const { startService } = await import('@mediamill/lab/support/service')
const { startReceiver } = await import('@mediamill/lab/support/receiver')
const { startSourceServer } = await import('@mediamill/lab/support/source-server')
const { quarters } = await import('@mediamill/lab/support/images')
const { openTracing } = await import('../../src/app/tracing.ts')
const { readConfig } = await import('../../src/config/config.ts')
const { createLog } = await import('../../src/telemetry/log.ts')

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())

/** Returns the loaded modules of OpenTelemetry, except `@opentelemetry/api`, which prom-client loads. */
const telemetry = () => loaded.filter((url) => /\/@opentelemetry\/(?!api\/)/.test(url))

test('without OTEL_EXPORTER_OTLP_ENDPOINT, OpenTelemetry is not loaded, and no trace data is stored or sent', async () => {
  const sources = stack.use(await startSourceServer({ '/photo.png': await quarters(40, 30) }))
  const receiver = stack.use(await startReceiver(204))
  const service = stack.use(await startService({ allowed: [sources.host, receiver.host] }))
  const { body: request } = await service.call('POST', '/v1/images/process', {
    body: {
      source: sources.url('/photo.png'),
      operations: [{ type: 'grayscale' }],
      webhook_url: receiver.url(),
    },
    headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
  })
  assert.equal((await service.settled(request.id)).status, 'succeeded')
  const [hook] = await receiver.arrived(1)
  assert.equal(hook?.headers['traceparent'], undefined)
  assert.deepEqual([...(await service.sql`select trace from requests`)], [{ trace: null }])
  assert.ok(loaded.length > 100)
  assert.deepEqual(telemetry(), [])
})

test('a process loads OpenTelemetry if OTEL_EXPORTER_OTLP_ENDPOINT is set', async () => {
  const config = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' })
  const tracer = await openTracing(config, 'api', createLog('silent', 'test'))
  await tracer?.close()
  assert.ok(telemetry().length > 5)
})

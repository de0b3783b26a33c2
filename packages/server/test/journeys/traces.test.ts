import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { CollectedSpan } from '@mediamill/lab/support/collector'
import { startCollector } from '@mediamill/lab/support/collector'
import { quarters } from '@mediamill/lab/support/images'
import type { Run } from '@mediamill/lab/support/process'
import { freePort, run, until } from '@mediamill/lab/support/process'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const sources = stack.use(await startSourceServer({ '/photo.png?token=in-the-query': await quarters(40, 30) }))
const receiver = stack.use(await startReceiver(204))
const allowed = [sources.host, receiver.host]
const service = stack.use(await startService({ allowed, workers: false }))
const collector = stack.use(await startCollector())
const port = await freePort()
const api = `http://127.0.0.1:${port}`

const settings = {
  DATABASE_URL: service.databaseUrl,
  SECRET_KEY,
  DATA_DIR: service.dataDir,
  ALLOWED_PRIVATE_HOSTS: allowed.join(','),
  PORT: String(port),
  WARM_ENGINES: 'none',
}
const traced = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const CLIENT_SPAN = '00f067aa0ba902b7'
const body = (path: string) => ({
  source: sources.url(path),
  operations: [{ type: 'grayscale' }],
  webhook_url: receiver.url('/hook?token=in-the-query'),
})

async function startRoles(settings: Record<string, string>): Promise<{ logs: string[]; stop: () => Promise<void> }> {
  const roles: Run[] = (['api', 'worker'] as const).map((name) => run([name], settings))
  stack.defer(() => {
    for (const { child } of roles) child.kill('SIGKILL')
  })
  await until(() => roles.every((role) => /"msg":"\w+ is ready"/.test(role.out())))
  const logs: string[] = []
  return {
    logs,
    async stop() {
      for (const { child } of roles) child.kill('SIGTERM')
      assert.deepEqual(await Promise.all(roles.map(({ ended }) => ended)), [0, 0])
      logs.push(...roles.flatMap((role) => role.out().split('\n')))
    },
  }
}

test('one call makes one trace with spans for the client, the call, the queue, the stages of the attempt, and the webhook', {
  timeout: 120_000,
}, async () => {
  const roles = await startRoles({ ...traced, OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test' })
  const headers = { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01`, tracestate: 'shop=7' }
  const accepted = await service.call('POST', `${api}/v1/images/process`, {
    body: body('/photo.png?token=in-the-query'),
    headers,
  })
  assert.equal(accepted.status, 202)
  assert.equal((await service.settled(accepted.body.id)).status, 'succeeded')
  const [hook] = await receiver.arrived(1)
  assert.equal((await fetch(`${api}/readyz`)).status, 200)
  await roles.stop()

  const trace = collector.spans.filter(({ traceId }) => traceId === TRACE_ID)
  const named = (name: string) => {
    const [span, ...others] = trace.filter((one) => one.name === name)
    assert.deepEqual(others, [])
    return span ?? assert.fail(`no span ${name} among ${trace.map((one) => one.name)}`)
  }
  const [call, accept, queued] = [named('POST /v1/images/process'), named('accept'), named('queued')]
  const [attempt, delivery] = [named('attempt'), named('delivery')]
  const parts = ['source', 'engine', 'store', 'settle'].map(named)
  assert.equal(trace.length, 9)
  const child = (of: CollectedSpan) => (span: CollectedSpan) => assert.equal(span.parentId, of.spanId, span.name)
  assert.equal(call.parentId, CLIENT_SPAN)
  child(call)(accept)
  for (const span of [queued, attempt]) child(accept)(span)
  for (const span of [...parts, delivery]) child(attempt)(span)
  assert.equal(hook?.headers['traceparent'], `00-${TRACE_ID}-${delivery.spanId}-01`)
  assert.equal(hook.headers['tracestate'], 'shop=7')

  assert.deepEqual(
    [call, attempt, delivery].map(({ kind }) => kind),
    [2, 5, 3],
  )
  assert.deepEqual(
    [call, accept, attempt, delivery].map(({ service }) => service),
    ['mediamill-api', 'mediamill-api', 'mediamill-worker', 'mediamill-worker'],
  )
  const about = { request_id: accepted.body.id, account_id: service.account.id }
  assert.deepEqual(attempt.attributes, { ...about, endpoint: 'images/process', attempt: 1, outcome: 'succeeded' })
  assert.equal(call.attributes['http.response.status_code'], 202)
  assert.match(String(call.attributes['request_id']), /^req_/)
  const { event_id, ...delivered } = delivery.attributes
  assert.match(String(event_id), /^evt_/)
  assert.deepEqual(delivered, { ...about, attempt: 1, outcome: 'delivered', 'http.response.status_code': 204 })
  assert.ok(trace.every(({ failed, startMs, endMs }) => !failed && startMs <= endMs))
  assert.ok(collector.posts.every(({ path }) => path === '/v1/traces'))
  const output = collector.posts.map(({ text }) => text).join('\n')
  assert.match(output, /"deployment\.environment\.name"/)
  for (const secret of ['in-the-query', service.account.liveKey, SECRET_KEY, '127.0.0.1', '/readyz']) {
    assert.ok(!output.includes(secret), secret)
  }
})

test('a failed request appears in its trace as a failed attempt with its code, and the log contains the trace id', {
  timeout: 120_000,
}, async () => {
  const roles = await startRoles({
    ...traced,
    OTEL_SERVICE_NAME: 'mill',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=media',
    LOG_LEVEL: 'debug',
  })
  const before = receiver.received.length
  const accepted = await service.call('POST', `${api}/v1/images/process`, { body: body('/missing') })
  const request = await service.settled(accepted.body.id)
  await receiver.arrived(before + 1)
  await roles.stop()
  assert.equal(request.error.code, 'source_unreachable')
  const attempt = collector.spans.find(
    (span) => span.name === 'attempt' && span.attributes['request_id'] === request.id,
  )
  assert.ok(attempt?.failed)
  assert.equal(attempt.service, 'mill')
  assert.equal(attempt.attributes['error.type'], 'source_unreachable')
  assert.equal(attempt.attributes['outcome'], 'failed')
  assert.equal(collector.posts.at(-1)?.headers['x-team'], 'media')
  const line =
    roles.logs.find((text) => text.includes(`"msg":"${request.id} images/`)) ?? assert.fail('it is not logged')
  const { request_id, trace_id } = JSON.parse(line)
  assert.deepEqual([request_id, trace_id], [request.id, attempt.traceId])
  const ofCall = roles.logs.find((text) => text.includes('"msg":"POST /v1/images/process 202 in ')) ?? '{}'
  assert.equal(JSON.parse(ofCall).trace_id, attempt.traceId)
})

test('a trace that is not sampled sends no spans for its call or its job', {
  timeout: 120_000,
}, async () => {
  const spansBefore = collector.spans.length
  const before = receiver.received.length
  const roles = await startRoles({
    ...traced,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const accepted = await service.call('POST', `${api}/v1/images/process`, {
    body: body('/photo.png?token=in-the-query'),
  })
  await service.settled(accepted.body.id)
  const received = await receiver.arrived(before + 1)
  await roles.stop()
  assert.equal(collector.spans.length, spansBefore)
  assert.match(String(received[before]?.headers['traceparent']), /-00$/)
})

test('an unavailable trace collector affects no request, and one line is logged', { timeout: 120_000 }, async () => {
  const away = `http://127.0.0.1:${await freePort()}`
  const roles = await startRoles({ ...traced, OTEL_EXPORTER_OTLP_ENDPOINT: away, OTEL_EXPORTER_OTLP_TIMEOUT: '200' })
  for (let count = 0; count < 2; count += 1) {
    const before = receiver.received.length
    const accepted = await service.call('POST', `${api}/v1/images/process`, {
      body: body('/photo.png?token=in-the-query'),
    })
    assert.equal((await service.settled(accepted.body.id)).status, 'succeeded')
    await receiver.arrived(before + 1)
  }
  await roles.stop()
  const complaints = roles.logs.filter((text) => text.includes('trace collector unavailable'))
  assert.deepEqual(
    complaints.map((text) => JSON.parse(text).role),
    ['api', 'worker'],
  )
})

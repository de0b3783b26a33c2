import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { quarters } from '@mediamill/lab/support/images'
import { freePort, run, until } from '@mediamill/lab/support/process'
import type { Json } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'

const SECRET_KEY = 'the-signing-key-that-no-log-may-show-anywhere'

test('the log of a whole service contains no key, secret, body, or URL query, at any level and for any failure', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-logs-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const database = stack.use(await createDatabase())
  const source = stack.use(await startSourceServer())
  const port = await freePort()
  const service = run(['serve'], {
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: folder,
    PORT: String(port),
    ALLOWED_PRIVATE_HOSTS: source.host,
    LOG_LEVEL: 'trace',
  })
  stack.defer(async () => {
    service.child.kill('SIGKILL')
    await service.ended
  })
  let hasEnded = false
  void service.ended.then(() => (hasEnded = true))
  const secretsOf = () =>
    ['svc_live_\\w+', 'svc_test_\\w+', 'whsec_\\S+'].flatMap((pattern) => new RegExp(pattern).exec(service.out()) ?? [])
  // `serve` prints the keys after its roles are ready.
  const isReady = () => service.pidsOf('worker').length > 0 && secretsOf().length === 3
  await until(() => hasEnded || isReady())
  assert.equal(hasEnded, false, service.err())
  const secretsShown = secretsOf()
  const [liveKey = '', testKey = ''] = secretsShown

  await database.sql`update accounts set requests_per_minute = 100000, concurrent_requests = 1000`
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const id = response.headers.get('request-id')
    return { status: response.status, id, body: JSON.parse((await response.text()) || 'null') as Json }
  }
  const ended = async (id: number): Promise<Json> => {
    let body: Json
    await until(async () => {
      ;({ body } = await call('GET', `/v1/requests/${id}`))
      return body.completed_at !== undefined
    })
    return body
  }

  source.files.set('/good.png?token=query-secret', await quarters(8, 8))
  source.files.set('/text?token=query-secret', Buffer.from('body-secret, no picture'))
  source.files.set('/away?token=query-secret', (_, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1/?token=query-secret' }).end()
  })
  source.files.set('/broken?token=query-secret', (call) => void call.socket.destroy())
  source.files.set('/hook?token=query-secret', (_, response) => void response.writeHead(500).end('answer-secret'))
  source.files.set('/bucket?token=query-secret', (put, response) => {
    put.resume().on('end', () => response.writeHead(200).end('answer-secret'))
  })
  const watermark = { type: 'watermark', image_url: source.url('/text?token=query-secret'), x: 0, y: 0 }
  const asked = {
    operations: [{ type: 'grayscale' }],
    webhook_url: source.url('/hook?token=query-secret'),
    customer: 'customer-secret',
    metadata: { note: 'metadata-secret' },
  }
  let signature = ''
  const callIds = new Map<number, string | null>()
  for (const path of ['/good.png', '/text', '/away', '/broken', '/missing']) {
    const body = { ...asked, source: source.url(`${path}?token=query-secret`) }
    const {
      status,
      id,
      body: request,
    } = await call('POST', '/v1/images/process', body, {
      'idempotency-key': `idempotency-secret${path}`,
    })
    assert.equal(status, 202)
    callIds.set(request.id, id)
    const { result } = await ended(request.id)
    signature ||= new URL(result?.files[0].url ?? 'http://x').searchParams.get('signature') ?? ''
    if (result !== undefined) await fetch(result.files[0].url)
  }
  assert.match(signature, /^[0-9a-f]{64}$/)
  const { body: marked } = await call('POST', '/v1/images/process', {
    ...asked,
    source: source.url('/good.png?token=query-secret'),
    operations: [watermark],
  })
  await ended(marked.id)
  const destination = {
    url: source.url('/bucket?token=query-secret'),
    headers: { 'x-amz-security-token': 'header-secret', 'content-type': 'image/jpeg' },
  }
  const { body: put } = await call('POST', '/v1/images/process', {
    ...asked,
    source: source.url('/good.png?token=query-secret'),
    output: { destination },
  })
  const { status: end, input } = await ended(put.id)
  assert.deepEqual(
    [end, input.output.destination],
    ['succeeded', { url: source.url('/bucket'), headers: { 'content-type': 'image/jpeg' } }],
  )
  assert.ok(source.calls.some(({ method }) => method === 'PUT'))

  assert.equal((await call('POST', '/v1/images/process', '{"source": "body-secret')).status, 422)
  assert.equal(
    (await call('GET', `/v1/account?key=${liveKey}`, undefined, { authorization: `Bearer ${testKey}x` })).status,
    401,
  )
  assert.equal((await call('GET', `/v1/nothing?key=${testKey}`)).status, 404)
  // PostgreSQL's error message contains the rejected row, which the log must not contain.
  await database.sql.unsafe(
    `alter table requests add constraint refused check (customer is null or customer <> 'refused-secret')`,
  )
  const rejected = { ...asked, source: source.url('/good.png?token=query-secret'), customer: 'refused-secret' }
  assert.equal((await call('POST', '/v1/images/process', rejected)).status, 500)
  service.child.kill('SIGTERM')
  await service.ended

  const lines = service
    .out()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  const log = [...lines, service.err()].join('\n')
  assert.match(
    log,
    /^(?=.*"request_id":\d)(?=.*"account_id":\d)(?=.*"endpoint":"images\/process")(?=.*"code":"unsupported_media").*"msg":"\d+ images\/process failed in \d+ ms, unsupported_media, account \d+: /m,
  )
  assert.match(log, /"msg":"\d+ images\/process succeeded in \d+ ms, \$0\.002, account \d+"/)
  assert.match(
    log,
    /"call_id":"req_\w+","status":422,"ms":\d+,"client":"127.0.0.1","account_id":\d+,"msg":"POST \/v1\/images\/process 422 in \d+ ms"/,
  )
  for (const [requestId, callId] of callIds) {
    const ends = lines.filter((line) => line.includes(`"request_id":${requestId},`) && line.includes('"attempt":'))
    const [end] = ends.map((line) => JSON.parse(line))
    assert.equal(ends.length, 1, String(requestId))
    assert.deepEqual([end.call_id, end.attempt, typeof end.worker_id], [callId, 1, 'string'])
    assert.equal(end.price_micro_usd, end.status === 'succeeded' ? 2_000 : undefined)
    assert.ok(end.duration_ms > 0)
  }
  assert.match(log, /"msg":"call failed"/)
  const forbidden = [
    ...secretsShown,
    SECRET_KEY,
    signature,
    new URL(database.url).password,
    '-secret',
    'Bearer ',
    'token=',
  ]
  for (const text of forbidden.filter((secret) => secret !== '')) {
    assert.deepEqual(
      log.split('\n').filter((line) => line.includes(text)),
      [],
      text,
    )
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '@mediamill/lab/support/process'
import { aliveWorker, openAccount, RETENTION_MS, SECRET_KEY, succeeded } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import { sharedService } from '@mediamill/lab/support/service'
import { throughPooler } from '../../src/db/connection/pooler.ts'
import { claim } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

const service = await sharedService({ workers: false })
const { call, sql, holds } = service

const body = { source: 'https://1.1.1.1/a.jpg', operations: [{ type: 'grayscale' }] }
const wait = (seconds: number | string = 50, more: Record<string, string> = {}) => ({
  headers: { prefer: `wait=${seconds}`, ...more },
})
const start = async () => (await call('POST', '/v1/images/process', { body })).body.id as number

async function finishNext(): Promise<number> {
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken)
  assert.ok(await settle(sql, taken.lease, succeeded(), RETENTION_MS))
  return taken.request.id
}

test('an idempotent retry and a GET of a request can long-poll in any process, with or without database notifications [waiting.prefer.4, waiting.prefer.5]', async () => {
  const key = { 'idempotency-key': 'waits' }
  const other = await service.another()
  const deaf = await service.another({ databaseUrl: throughPooler(service.databaseUrl) })
  const first = await call('POST', '/v1/images/process', { body, headers: key })
  const waits = [
    call('POST', '/v1/images/process', { body, ...wait(50, key) }),
    ...[service.url, other, deaf].map((url) => call('GET', `${url}/v1/requests/${first.body.id}`, wait())),
  ]
  await Promise.all([holds(2), holds(1, other), holds(1, deaf)])
  assert.equal(await finishNext(), first.body.id)
  const responses = await Promise.all(waits)
  for (const { status, body: shown, headers } of responses) {
    assert.deepEqual([status, shown.id, shown.status], [200, first.body.id, 'succeeded'])
    assert.equal(headers.get('preference-applied'), 'wait=50')
  }
  assert.equal(responses[0]?.headers.get('idempotent-replayed'), 'true')
  await holds(0)
})

test('a stopping process ends all long polls for requests and events at once, and exits with 0 [waiting.limits.1, operator.stop.1]', {
  timeout: 60_000,
}, async () => {
  const port = await freePort()
  const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir, PORT: String(port) }
  await using api = await startRole('api', settings)
  const url = `http://127.0.0.1:${port}`
  const id = await start()
  const begun = performance.now()
  const read = call('GET', `${url}/v1/requests/${id}`, wait(55))
  const posted = call('POST', `${url}/v1/images/process`, { body, ...wait(55) })
  const { liveKey } = await openAccount(sql)
  const listed = call('GET', `${url}/v1/events`, { ...wait(55), key: liveKey })
  await holds(3, url)
  const exit = api.stop()
  assert.deepEqual([(await read).status, (await read).body.status], [200, 'queued'])
  assert.deepEqual([(await posted).status, (await posted).body.status], [202, 'queued'])
  assert.deepEqual([(await listed).status, (await listed).body.data], [200, []])
  assert.equal(await exit, 0)
  assert.ok(performance.now() - begun < 50_000, 'nobody waited for the end of a wait')
})

import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRawConnection } from '@mediamill/lab/support/raw-http'
import { aliveWorker, failed, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { claim } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

/** The responses that `RECORD=1` recorded, without numbers, times, and signatures. All else must match exactly. */
const RECORD = join(import.meta.dirname, '../../../../lab/fixtures/recorded-answers.json')

const service = await sharedService({ workers: false })
const { sql, account } = service

/** The headers that were added to responses after the recording, by status. */
const ADDED = { 202: ['location'] } as Record<number, readonly string[]>

async function end(outcome: Parameters<typeof settle>[2]): Promise<void> {
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken)
  await settle(sql, taken.lease, outcome, RETENTION_MS)
}

const strike = (text: string) =>
  text
    .replaceAll(/req_[0-9a-f]{24}/g, 'req_…')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/expires=\d+&(?:key=[0-9a-f]{8}&)?signature=[0-9a-f]{64}/g, 'SIGNED')
    .replaceAll(/_ms":\d+/g, '_ms":0')
    .replaceAll(service.url, 'BASE')

const MOVING = new Set(['date', 'request-id', 'ratelimit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])

test('calls that use no new feature return exactly the bytes that were recorded from an older version [api.versions.1]', async () => {
  using wire = openRawConnection(Number(new URL(service.url).port))
  const responses: Record<string, { status: number; headers: string[]; body: string }> = {}
  async function ask(
    method: string,
    path: string,
    sent: { body?: unknown; key?: string | null; idempotency?: string } = {},
  ) {
    const payload = sent.body === undefined ? '' : JSON.stringify(sent.body)
    const head = [
      `${method} ${path} HTTP/1.1`,
      'host: a',
      ...(sent.key === null ? [] : [`authorization: Bearer ${sent.key ?? account.liveKey}`]),
      ...(payload === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(payload)}`]),
      ...(sent.idempotency === undefined ? [] : [`idempotency-key: ${sent.idempotency}`]),
    ]
    const response = await wire.send(`${head.join('\r\n')}\r\n\r\n${payload}`)
    const added = ADDED[response.status] ?? []
    const headers = Object.entries(response.headers)
      .filter(([name]) => !added.includes(name))
      .map(([name, value]) => `${name}: ${MOVING.has(name) ? '' : strike(name === 'content-length' ? '' : value)}`)
    responses[`${Object.keys(responses).length} ${method} ${path}`] = {
      status: response.status,
      headers,
      body: strike(response.body),
    }
  }
  const body = { source: 'https://1.1.1.1/a.jpg', customer: 'c', metadata: { order: '1' } }
  const drawn = { ...body, operations: [{ type: 'grayscale' }] }
  await ask('POST', '/v1/images/process', { body: drawn, idempotency: 'one' })
  await ask('GET', '/v1/requests/1')
  await end(succeeded())
  await ask('POST', '/v1/images/process', { body: drawn, idempotency: 'one' })
  await ask('POST', '/v1/images/process', { body, idempotency: 'one' })
  await ask('GET', '/v1/requests/1')
  await ask('POST', '/v1/images/read', { body })
  await end(failed())
  await ask('GET', '/v1/requests/2')
  await ask('POST', '/v1/videos/read', { body, key: account.testKey })
  await ask('POST', '/v1/requests/3/abort')
  await ask('POST', '/v1/requests/3/abort')
  await ask('GET', '/v1/requests?limit=2')
  await ask('GET', '/v1/requests?limit=0&unknown=1')
  await ask('GET', '/v1/requests/99')
  await ask('GET', '/v1/requests', { key: null })
  await ask('POST', '/v1/images/read', { body: { source: 'http://127.0.0.1/' } })
  await ask('POST', '/v1/images/process', { body: {} })
  await ask('GET', '/v1/account')
  await ask('GET', '/v1/usage?from=2020-01-01&to=2020-01-02')
  await ask('OPTIONS', '/v1/requests')
  await ask('GET', '/v1/nothing')
  await ask('GET', '/v1/results/1?expires=1&signature=a', { key: null })
  await ask('GET', '/livez', { key: null })
  if (process.env['RECORD'] === '1') writeFileSync(RECORD, `${JSON.stringify(responses, null, 2)}\n`)
  assert.ok(existsSync(RECORD))
  assert.deepEqual(responses, JSON.parse(readFileSync(RECORD, 'utf8')))
})

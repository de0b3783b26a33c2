import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect as connectTo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import { createDatabase } from '@mediamill/lab/support/database'
import { freePort, until } from '@mediamill/lab/support/process'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { startRawServer } from '@mediamill/lab/support/source-server'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { makeKey } from '../accounts/key.ts'
import { watchDatabase } from '../app/outages.ts'
import { connect } from '../db/connection/connect.ts'
import { accept } from '../requests/accept.ts'
import { createFlush } from '../requests/flush.ts'
import { createEventWatch, createRequestWatch, createStreamWatch } from '../requests/watch.ts'
import { openDiskStore } from '../store/disk.ts'
import { deriveLinkKeys } from '../store/link.ts'
import { StampWatch } from '../uploads/stamps/stamp-watch.ts'
import { buildServer } from './server.ts'

/** Within this time, a stopping server has closed all connections that send no call. */
const LONGER_THAN_QUIET_MS = 1_000

const folder = await sharedFolder('mediamill-away-')
const store = await openDiskStore(folder)

function serverOver(databaseUrl: string, options: { callTimeoutMs?: number } = { callTimeoutMs: 300 }) {
  const nothing = () => undefined
  const there = () => Promise.resolve(true)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) })
  const stopping = new AbortController()
  const health = watchDatabase(() => sql, log, stopping.signal)
  const { onFailure } = health
  const sql = connect(databaseUrl, { connections: 10, applicationName: 'test', onFailure })
  const server = buildServer(
    {
      sql,
      links: { keys: deriveLinkKeys(['any']), baseUrl: 'http://127.0.0.1' },
      store,
      checks: { database: health.isReady, store: there, disk: there },
      metrics: new Registry(),
      isSample: () => false,
      checkUrl: async () => ({ ok: true }),
      sealDestinations: () => ({ value: Buffer.alloc(0), sealedBy: '' }),
      wakeDeliveries: nothing,
      durable: createFlush(sql),
      watch: createRequestWatch(sql),
      streamWatch: createStreamWatch(sql),
      eventWatch: createEventWatch(sql),
      stamps: new StampWatch(sql, sql),
      ...options,
    },
    log,
  )
  after(async () => {
    stopping.abort()
    await server.close()
    await sql.end({ timeout: 0 })
  })
  return Object.assign(server, { lines })
}

const call = (server: ReturnType<typeof serverOver>, url: string, key = makeKey('live')) =>
  server.inject({ url, headers: { authorization: `Bearer ${key}` } })

/** Waits until the server reaches its database. Opening the first connection may take longer than the call timeout. */
const returnsAccount = (server: ReturnType<typeof serverOver>, key: string) =>
  until(async () => (await call(server, '/v1/account', key)).statusCode === 200)

for (const [what, port] of [
  ['refuses connections', await freePort()],
  ['accepts connections and closes them', (await startClosing()).port],
] as const) {
  test(`with a database that ${what}, calls return 503 server_error in time, /livez returns 200, and the log has one line [errors.calls.2]`, async () => {
    const url = `postgres://nobody@127.0.0.1:${port}/none`
    const server = serverOver(url)
    for (const response of await Promise.all(['/v1/account', '/v1/nothing'].map((path) => call(server, path)))) {
      assert.deepEqual([response.statusCode, response.json().error.code], [503, 'server_error'])
      assert.equal(response.json().error.request_id, response.headers['request-id'])
      assert.equal(response.headers['retry-after'], '5')
      assert.doesNotMatch(response.json().error.message, /postgres|ECONN|127\.0/)
    }
    assert.deepEqual(server.lines, ['database unavailable'])
    assert.equal((await call(server, '/livez')).statusCode, 200)
    assert.equal((await call(serverOver(url, {}), '/readyz')).statusCode, 503)
  })
}

test('while the server stops, a call that arrives on a connection with an unfinished call gets its normal response [operator.stop.1]', {
  timeout: 60_000,
}, async () => {
  const server = serverOver(`postgres://nobody@127.0.0.1:${await freePort()}/none`, { callTimeoutMs: 3_000 })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const socket = connectTo({ port, host: '127.0.0.1' })
  const responses = text(socket)
  const calling = once(server.server, 'request')
  socket.write(`GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${makeKey('live')}\r\n\r\n`)
  await calling
  const stopped = server.close()
  await until(() => Promise.resolve(!server.server.listening))
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  await stopped
  const received = await responses
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 503', 'HTTP/1.1 200'])
  assert.match(received, /connection: close/i)
})

test('while the server stops, a form that waits for the database gets its normal response [operator.stop.1]', {
  timeout: 60_000,
}, async () => {
  await using real = await createDatabase()
  const server = serverOver(real.url, { callTimeoutMs: 20_000 })
  const { id, liveKey } = await openAccount(real.sql)
  await real.sql`insert into upload_room (account_id, livemode, bytes) values (${id}, true, 0)`
  const form = new FormData()
  form.set('operations', '[{"type":"grayscale"}]')
  form.set('source', new Blob(['a'.repeat(200_000)]), 'a.png')
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const waiting = await real.sql.begin(async (tx) => {
    await tx`select from upload_room where account_id = ${id} for update`
    const headers = { authorization: `Bearer ${liveKey}` }
    const calling = fetch(`${address}/v1/images/process`, { method: 'POST', headers, body: form })
    await until(async () => {
      const waiting = await real.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    const stopped = server.close()
    await until(() => !server.server.listening)
    await delay(LONGER_THAN_QUIET_MS)
    return { calling, stopped }
  })
  assert.equal((await waiting.calling).status, 202)
  await waiting.stopped
})

test('the call timeout does not end a long poll, which returns the last known state if the database is unavailable [waiting.prefer.1]', {
  timeout: 60_000,
}, async () => {
  await using real = await createDatabase()
  await using database = await openCuttableDatabase(real.url)
  const server = serverOver(database.url, { callTimeoutMs: 1_000 })
  const account = await openAccount(real.sql)
  await returnsAccount(server, account.liveKey)
  const { id } = await accept(real.sql, acceptable(account.id))
  const headers = { authorization: `Bearer ${account.liveKey}`, prefer: 'wait=4' }
  const held = server.inject({ url: `/v1/requests/${id}`, headers })
  await until(async () => (await server.inject('/metrics')).body.includes('mediamill_long_polls 1'))
  await database.cut()
  const response = await held
  assert.deepEqual([response.statusCode, response.json().status], [200, 'queued'])
  await database.mend()
})

async function startClosing() {
  const server = await startRawServer((socket) => socket.destroy())
  after(() => server[Symbol.asyncDispose]())
  return server
}

for (const how of ['hang', 'close'] as const) {
  test(`if the database ${how}s after authentication, every call returns 503 server_error in time [errors.calls.2]`, {
    timeout: 60_000,
  }, async () => {
    await using real = await createDatabase()
    await using database = await openCuttableDatabase(real.url)
    const server = serverOver(database.url)
    const { liveKey } = await openAccount(real.sql)
    await returnsAccount(server, liveKey)
    database.failAt(/\brequests\b|idempotency_keys|usage_days|pg_logical/, how)
    const headers = { authorization: `Bearer ${liveKey}` }
    const payload = { source: 'https://example.com/a.jpg' }
    for (const asked of [
      { url: '/v1/requests' },
      { url: '/v1/requests/7' },
      { url: '/v1/usage' },
      { method: 'POST', url: '/v1/requests/7/abort' },
      { method: 'POST', url: '/v1/images/read', payload },
      { method: 'POST', url: '/v1/images/read', payload, headers: { 'idempotency-key': 'once' } },
    ] as const) {
      const all = 'headers' in asked ? { ...headers, ...asked.headers } : headers
      const response = await server.inject({ ...asked, headers: all })
      assert.deepEqual([response.statusCode, response.json().error.code], [503, 'server_error'], asked.url)
      assert.equal(response.json().error.request_id, response.headers['request-id'])
    }
    assert.equal((await call(server, '/livez')).statusCode, 200)
    await database.cut()
    await database.mend()
    while ((await call(server, '/v1/requests', liveKey)).statusCode !== 200);
  })
}

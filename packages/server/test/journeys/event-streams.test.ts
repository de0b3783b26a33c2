import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request as forward } from 'node:http'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { freePort, until } from '@mediamill/lab/support/process'
import { aliveWorker, RETENTION_MS, SECRET_KEY, succeeded } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { throughPooler } from '../../src/db/connection/pooler.ts'
import { claim, updateProgress } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

const ORIGIN = 'https://app.example.com'
const service = await sharedService({ workers: false, settings: { CORS_ORIGINS: ORIGIN } })
const { call, sql, account, holds } = service

const body = { source: 'https://1.1.1.1/a.jpg', operations: [{ type: 'grayscale' }] }
const start = async (key?: string) =>
  (await call('POST', '/v1/images/process', key === undefined ? { body } : { body, key })).body.id as number
const path = (id: number) => `/v1/requests/${id}/events`
const bearer = { authorization: `Bearer ${account.liveKey}` }

async function take(id: number) {
  const worker = await aliveWorker(sql)
  for (;;) {
    const taken = await claim(sql, worker, 'image', [])
    assert.ok(taken)
    if (taken.request.id === id) return taken.lease
  }
}

async function finish(id: number): Promise<void> {
  assert.ok(await settle(sql, await take(id), succeeded(), RETENTION_MS))
}

const eventsOf = (text: string): { id: string; data: Json }[] =>
  [...text.matchAll(/^event: request\.updated\nid: (\d+)\ndata: (.*)\n\n/gm)].map(([, id = '', data = '']) => ({
    id,
    data: JSON.parse(data),
  }))

test('curl and fetch receive the states of a request by an event stream from any process, even behind a pooler, and the stream closes after the last state [streams.events.1, streams.events.2]', async () => {
  const other = await service.another()
  const deaf = await service.another({ databaseUrl: throughPooler(service.databaseUrl) })
  const id = await start()
  const curl = spawn('curl', ['-sNi', '-H', `authorization: ${bearer.authorization}`, service.url + path(id)])
  let printed = ''
  curl.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
  const streams = [other, deaf].map((url) => call('GET', url + path(id)))
  await Promise.all([holds(1), holds(1, other), holds(1, deaf)])
  await until(async () => printed.includes('\nid: 0\n'))
  const lease = await take(id)
  await until(async () => printed.includes('\nid: 1\n'))
  assert.ok(await settle(sql, lease, succeeded(), RETENTION_MS))
  assert.deepEqual(await once(curl, 'close'), [0, null])
  const final = (await call('GET', `/v1/requests/${id}`)).body
  for (const text of [printed, ...(await Promise.all(streams)).map((response) => response.body as string)]) {
    const events = eventsOf(text.replaceAll('\r\n', '\n'))
    const shown = events.map((event) => [event.id, event.data.status])
    const between = shown.slice(1, -1)
    assert.deepEqual(
      [shown[0], shown.at(-1)],
      [
        ['0', 'queued'],
        ['101', 'succeeded'],
      ],
    )
    // Only curl is sure to receive both changes. Another client may receive a single event for both.
    assert.deepEqual(between, text === printed || between.length > 0 ? [['1', 'processing']] : [])
    assert.deepEqual(events.at(-1)?.data, final)
  }
  assert.match(printed, /^HTTP\/1\.1 200 OK\r\n/)
  for (const header of [
    'content-type: text/event-stream; charset=utf-8',
    'cache-control: no-store, no-transform',
    'x-accel-buffering: no',
    'x-content-type-options: nosniff',
    'request-id: req_',
    'x-ratelimit-limit: 100000',
  ]) {
    assert.ok(printed.includes(`\r\n${header}`), header)
  }
  assert.match(printed, /\r\n\r\nretry: 3000\n\nevent: /)
  await Promise.all([holds(0), holds(0, other), holds(0, deaf)])
})

test('an event stream of an image request sends no progress events [streams.events.1]', async () => {
  const id = await start()
  const lease = await take(id)
  const stream = call('GET', path(id))
  await holds(1)
  await updateProgress(sql, lease, 50)
  await settle(sql, lease, succeeded(), RETENTION_MS)
  assert.deepEqual(
    eventsOf((await stream).body).map((event) => event.id),
    ['1', '101'],
  )
})

test('a page of an allowed origin can read the event stream of a request [api.cors.1]', async () => {
  const id = await start()
  await finish(id)
  const response = await call('GET', path(id), { headers: { origin: ORIGIN } })
  assert.equal(response.headers.get('access-control-allow-origin'), ORIGIN)
  assert.equal(response.headers.get('vary'), 'Origin')
})

/** Starts a proxy that adds the API key to each call, because an `EventSource` cannot send headers. */
async function startFront(target: string) {
  const seen: (string | undefined)[] = []
  const statuses: (number | undefined)[] = []
  let to = target
  const front = await startHttpServer((call, response) => {
    seen.push(call.headers['last-event-id']?.toString())
    const onward = forward(to + (call.url ?? ''), { headers: { ...call.headers, ...bearer } }, (reply) => {
      statuses.push(reply.statusCode)
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    onward.on('error', () => response.destroy())
    onward.end()
  })
  return {
    ...front,
    seen,
    statuses,
    turnTo: (url: string) => (to = url),
  }
}

/** A program that follows a stream. The interval keeps it alive; the retry timer of an `EventSource` does not. */
const FOLLOW = `
setInterval(() => undefined, 60_000)
const source = new EventSource(process.argv[1])
source.addEventListener('request.updated', ({ data, lastEventId }) => console.log(lastEventId, JSON.parse(data).status))
source.addEventListener('error', () => source.readyState === EventSource.CLOSED && console.log('closed'))
`

test('if an API process stops, an EventSource resumes its stream at another process, and does not reconnect after the request has ended [streams.events.2, streams.reconnect.1]', {
  timeout: 120_000,
}, async () => {
  const port = await freePort()
  const settings = { DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir, PORT: String(port) }
  await using api = await startRole('api', settings)
  const url = `http://127.0.0.1:${port}`
  await using front = await startFront(url)
  const id = await start()
  const client = spawn(process.execPath, [
    '--experimental-eventsource',
    '--no-warnings',
    '-e',
    FOLLOW,
    front.url + path(id),
  ])
  using _client = { [Symbol.dispose]: () => client.kill() }
  let printed = ''
  client.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
  await until(async () => printed === '0 queued\n')
  await holds(1, url)
  front.turnTo(service.url)
  assert.equal(await api.stop(), 0)
  await finish(id)
  await until(async () => printed.endsWith('closed\n'))
  assert.match(printed, /^0 queued\n(1 processing\n)?101 succeeded\nclosed\n$/)
  assert.deepEqual([front.seen[0], front.seen[1], front.seen.at(-1)], [undefined, '0', '101'])
  assert.deepEqual(front.statuses, [200, 200, 204])
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { sampleUrl } from '@mediamill/contract/objects/samples'
import { startHaProxy } from '@mediamill/lab/support/haproxy'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { freePort, freePortRun, listens, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { spawnRole, startRole } from '@mediamill/lab/support/role-process'
import { startService } from '@mediamill/lab/support/service'
import { whyNo } from '@mediamill/lab/support/skip-reason'
import { BUILD_LOCK } from '../../src/db/migrate.ts'

const CONFIGURATION = new URL('../../../../deploy/haproxy.cfg', import.meta.url)

/** A migration that the test can run again: it runs outside a transaction, and has no effect the second time. */
const MIGRATION = '0085_stored_results.sql'

const options = { skip: whyNo('haproxy') ?? false, timeout: 240_000 }

describe('a service behind HAProxy with the shipped configuration', options, async () => {
  if (whyNo('haproxy') !== undefined) return
  const stack = new AsyncDisposableStack()
  after(() => stack.disposeAsync())
  const service = stack.use(await startService({ workers: false }))
  const first = await freePortRun(2)
  const ports = [first, first + 1] as const
  const proxy = stack.use(await startHaProxy(ports))
  const settingsOf = (port: number) => ({
    DATABASE_URL: service.databaseUrl,
    SECRET_KEY,
    DATA_DIR: service.dataDir,
    BASE_URL: proxy.url,
    PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
  })
  const roles = await Promise.all(ports.map((port) => startRole('api', settingsOf(port))))
  stack.defer(async () => {
    for (const role of roles) await role.kill()
  })

  const headers = { authorization: `Bearer ${service.account.liveKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ source: sampleUrl(proxy.url, 'photo.jpg'), operations: [{ type: 'grayscale' }] })

  async function callTwice(): Promise<number[]> {
    const read = await fetch(`${proxy.url}/v1/account`, { headers })
    await read.arrayBuffer()
    const posted = await fetch(`${proxy.url}/v1/images/process/estimate`, { method: 'POST', headers, body })
    await posted.arrayBuffer()
    return [read.status, posted.status]
  }

  const failedLines = () =>
    proxy
      .log()
      .split('\n')
      .filter((line) => / 50\d /.test(line))
      .join('\n')

  test('a rolling restart behind HAProxy while calls arrive causes no failed call', async () => {
    let isRolling = true
    const statuses: number[] = []
    const callers = Array.from({ length: 4 }, async () => {
      while (isRolling) statuses.push(...(await callTwice()))
    })
    // On a fast machine, two rolling restarts take 3 s, so repeat them until 50 calls were made.
    for (let roll = 0; roll < 2 || (statuses.length <= 50 && statuses.every((status) => status === 200)); roll += 1) {
      for (const [index, port] of ports.entries()) {
        await roles[index]?.stop()
        roles[index] = await startRole('api', settingsOf(port))
      }
    }
    isRolling = false
    await Promise.all(callers)
    assert.deepEqual([...new Set(statuses)], [200], failedLines())
    assert.ok(statuses.length > 50, String(statuses.length))
  })

  test('a process behind HAProxy that runs migrations causes no failed call', async () => {
    await roles[1]?.stop()
    await until(
      () =>
        proxy
          .log()
          .match(/Server api\/api-2 is (?:UP|DOWN)/g)
          ?.at(-1)
          ?.endsWith('DOWN') === true,
    )
    await service.sql`delete from migrations where name = ${MIGRATION}`
    await using ending = new AsyncDisposableStack()
    const other = await service.sql.reserve()
    await other`select pg_advisory_lock(${BUILD_LOCK})`
    ending.defer(async () => {
      await other`select pg_advisory_unlock(${BUILD_LOCK})`
      other.release()
    })
    const child = spawnRole('api', settingsOf(ports[1]))
    ending.defer(() => void child.kill('SIGKILL'))
    await until(() => listens(ports[1]))
    assert.equal((await fetch(`http://127.0.0.1:${ports[1]}/readyz`)).status, 503)
    const before = proxy.log().length
    for (let call = 0; call < 10; call += 1) assert.deepEqual(await callTwice(), [200, 200])
    await until(
      () =>
        proxy
          .log()
          .slice(before)
          .match(/server=api-1/g)?.length === 20,
    )
    assert.doesNotMatch(proxy.log().slice(before), /server=api-2/)
    await ending.disposeAsync()
    roles[1] = await startRole('api', settingsOf(ports[1]))
  })

  test('the HAProxy log has the id of each call, but no query string', async () => {
    const response = await service.call('GET', `${proxy.url}/v1/account?signature=secret`)
    await until(() => proxy.log().includes(`request_id=${response.headers.get('request-id')}`))
    assert.doesNotMatch(proxy.log(), /secret/)
  })

  test('the Keep-Alive timeout of responses is shorter than the timeout after which HAProxy closes an idle connection', async () => {
    const closesAfter = /timeout http-keep-alive (\d+)s/.exec(await readFile(CONFIGURATION, 'utf8'))
    for (const path of ['/v1/account', '/docs/start', '/v1/nothing']) {
      const response = await fetch(`${proxy.url}${path}`, { headers })
      await response.arrayBuffer()
      const keptFor = /^timeout=(\d+)$/.exec(response.headers.get('keep-alive') ?? '')
      assert.ok(Number(keptFor?.[1]) < Number(closesAfter?.[1]), `${path}: ${response.headers.get('keep-alive')}`)
    }
  })

  test('HAProxy blocks every spelling of the metrics path', async () => {
    const port = Number(new URL(proxy.url).port)
    const paths = [
      '/metrics',
      '/metrics?x',
      '/metrics#x',
      '/metrics;x',
      '/metrics/',
      '/%6detrics',
      '/%6Detric%73',
      '/%6d%65%74%72%69%63%73?x',
      '/%256detrics',
      '/%6detrics#%zz',
      '//metrics',
      '/./metrics',
      '/v1/../metrics',
      '/METRICS',
      `https://localhost:${port}/%6detrics`,
      `http://localhost?/%6detrics`,
      `http:///%6detrics`,
    ]
    for (const path of paths) {
      const socket = connect({ host: '127.0.0.1', port, servername: 'localhost' })
      // `fetch` would normalize the path.
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
      const response = await text(socket)
      assert.match(response.slice(0, 13), /^HTTP\/1\.1 40[04] /, path)
    }
    const served = await fetch(`http://127.0.0.1:${ports[0]}/%6detrics`)
    assert.match(await served.text(), /^mediamill_/m)
  })

  test('if no API process is available, HAProxy returns 503 in the error format of the API', async () => {
    const [one, two] = [await freePort(), await freePort()]
    await using away = await startHaProxy([one, two])
    const response = await fetch(`${away.url}/v1/images/process`, { method: 'POST', body: '{}' })
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('retry-after')],
      [503, 'application/json', '1'],
    )
    assert.match(await response.text(), /^\{"error":\{"type":"server_error","code":"server_error",/)
    const id = response.headers.get('request-id')
    assert.match(id ?? '', /^req_[0-9a-f]{32}$/)
    // The state SC means that HAProxy could not connect to a server.
    await until(() => away.log().includes(`state=SC request_id=${id}`))
  })
})

async function startBehind(respond: (call: IncomingMessage, response: ServerResponse) => void) {
  const server = await startHttpServer(respond)
  const proxy = await startHaProxy([server.port, server.port])
  return {
    url: proxy.url,
    log: proxy.log,
    reload: proxy.reload,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a client behind HAProxy cannot forge its address or its scheme', options, async () => {
  await using echo = await startBehind((call, response) => response.end(JSON.stringify(call.headers)))
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' }
  const received = (await (await fetch(`${echo.url}/v1/account`, { headers })).json()) as Record<string, string>
  assert.deepEqual([received['x-forwarded-for'], received['x-forwarded-proto']], ['127.0.0.1', 'https'])
})

test(
  'after HAProxy reloads, a client can send one more call on a connection that was idle during the reload',
  options,
  async () => {
    await using server = await startBehind((_call, response) => response.end('ok'))
    const { port } = new URL(server.url)
    const socket = connect({ host: '127.0.0.1', port: Number(port), servername: 'localhost' }).setEncoding('utf8')
    const closed = once(socket, 'close')
    let received = ''
    socket.on('data', (part: string) => {
      received += part
    })
    const call = `GET /v1/account HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`
    socket.write(call)
    await until(() => received.endsWith('ok'))
    await server.reload()
    await until(() => server.log().includes('Proxy public stopped'))
    received = ''
    socket.write(call)
    await closed
    assert.match(received, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(received, /connection: close\r\n/i)
  },
)

test(
  'an API server whose readiness check takes longer than the interval of checks stays available behind HAProxy',
  options,
  async () => {
    let checks = 0
    await using slow = await startBehind((call, response) => {
      if (call.url !== '/readyz') return void response.end('ok')
      setTimeout(() => {
        response.end()
        checks += 1
      }, 700)
    })
    // After two failed checks, HAProxy removes a server. Both servers have the same address, so wait for six checks.
    await until(() => checks >= 6)
    assert.equal((await fetch(`${slow.url}/v1/account`)).status, 200)
    assert.doesNotMatch(slow.log(), /is DOWN/)
  },
)

test(
  'if a server may have received a call, HAProxy resends it only if it is a GET or has an Idempotency-Key',
  options,
  async () => {
    let calls = 0
    await using broken = await startBehind((call, response) => {
      if (call.url === '/readyz') return void response.end()
      calls += 1
      call.resume().on('end', () => call.socket.destroy())
    })
    const countOf = async (init: { method: string; body?: string; headers?: Record<string, string> }) => {
      calls = 0
      const headers = { ...init.headers, connection: 'close' }
      const { status } = await fetch(`${broken.url}/v1/images/process`, { ...init, headers })
      assert.equal(status, 502)
      return calls
    }
    assert.equal(await countOf({ method: 'POST', body: '{}' }), 1)
    assert.ok((await countOf({ method: 'POST', body: '{}', headers: { 'idempotency-key': 'a' } })) > 1)
    assert.ok((await countOf({ method: 'GET' })) > 1)
  },
)

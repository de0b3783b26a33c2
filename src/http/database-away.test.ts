import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { startRawServer, unusedPort } from '../../test/support/source-server.ts'
import { makeKey } from '../accounts/key.ts'
import { connect } from '../db/connect.ts'
import { openDiskStore } from '../store/disk.ts'
import { deriveLinkKeys } from '../store/link.ts'
import { buildServer } from './server.ts'

const folder = await mkdtemp(join(tmpdir(), 'mediamill-away-'))
after(() => rm(folder, { recursive: true }))
const store = await openDiskStore(folder)

/** An interface over a database at an address that is none. */
function serverOver(port: number) {
  const sql = connect(`postgres://nobody@127.0.0.1:${port}/none`, { connections: 2, applicationName: 'test' })
  const nothing = () => undefined
  const never = () => Promise.reject(new Error('not reached'))
  const server = buildServer(
    {
      sql,
      links: { keys: deriveLinkKeys(['any']), baseUrl: 'http://127.0.0.1' },
      store,
      metrics: new Registry(),
      checkUrl: never,
      nudge: nothing,
      nudgeDeliveries: nothing,
      durable: never,
      // Longer than what /readyz waits for.
      patienceMs: 2_500,
    },
    pino({ level: 'silent' }),
  )
  after(async () => {
    await server.close()
    await sql.end({ timeout: 0 })
  })
  return server
}

const call = (server: ReturnType<typeof serverOver>, url: string) =>
  server.inject({ url, headers: { authorization: `Bearer ${makeKey('live')}` } })

for (const [what, port] of [
  ['refuses connections', await unusedPort()],
  ['takes connections and closes them', (await startClosing()).port],
] as const) {
  test(`with a database that ${what}, calls are 500 server_error in time and /livez is 200 [7.1, decisions 14]`, async () => {
    const server = serverOver(port)
    for (const answer of await Promise.all(['/v1/account', '/v1/nothing'].map((path) => call(server, path)))) {
      assert.deepEqual([answer.statusCode, answer.json().error.code], [500, 'server_error'])
      assert.equal(answer.json().error.request_id, answer.headers['request-id'])
      assert.ok(!/postgres|ECONN|127\.0/.test(answer.body))
    }
    assert.equal((await call(server, '/livez')).statusCode, 200)
    assert.equal((await call(server, '/readyz')).statusCode, 503)
  })
}

async function startClosing() {
  const server = await startRawServer((socket) => socket.destroy())
  after(() => server[Symbol.asyncDispose]())
  return server
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { after, describe, test } from 'node:test'
import { readCodeBlocks } from '@mediamill/lab/support/code-blocks'
import { createDatabase } from '@mediamill/lab/support/database'
import { quarters } from '@mediamill/lab/support/images'
import { startPgBouncer } from '@mediamill/lab/support/pgbouncer'
import { freePort, run, until } from '@mediamill/lab/support/process'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import type { Service } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import { whyNo } from '@mediamill/lab/support/skip-reason'
import type { SourceServer } from '@mediamill/lab/support/source-server'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import pg from 'pg'
import { awaitDatabase } from '../../src/db/connection/await-database.ts'
import { isPooled } from '../../src/db/connection/pooler.ts'

const missing = whyNo('pgbouncer')

describe('a service behind PgBouncer in transaction mode', { skip: missing ?? false, timeout: 180_000 }, async () => {
  if (missing !== undefined) return
  const stack = new AsyncDisposableStack()
  after(() => stack.disposeAsync())
  const sources = stack.use(await startSourceServer({ '/photo.png': await quarters(40, 30) }))
  const receiver = stack.use(await startReceiver(204))
  const allowed = [sources.host, receiver.host]
  const service = stack.use(await startService({ allowed, workers: false }))
  const bouncer = stack.use(await startPgBouncer(service.databaseUrl))
  const port = await freePort()
  const settings = {
    DATABASE_URL: bouncer.url,
    SECRET_KEY,
    DATA_DIR: service.dataDir,
    ALLOWED_PRIVATE_HOSTS: allowed.join(','),
    PORT: String(port),
  }
  stack.use(await startRole('api', settings))
  const api = `http://127.0.0.1:${port}`
  const ask = (source: string) => ({
    source: sources.url(source),
    operations: [{ type: 'grayscale' }],
    webhook_url: receiver.url(),
  })

  test('each PgBouncer setting on docs/operate/database.md exists in PgBouncer', async () => {
    const [block] = readCodeBlocks().filter(({ language, code }) => language === 'ini' && code.includes('[pgbouncer]'))
    const lines = block?.code.split('[pgbouncer]')[1]?.trim().split('\n') ?? []
    assert.ok(lines.length > 5)
    const admin = new pg.Client(bouncer.url.replace(/\/[^/]*$/, '/pgbouncer'))
    await admin.connect()
    const { rows } = await admin.query<{ key: string }>('show config')
    await admin.end()
    const known = rows.map(({ key }) => key)
    assert.deepEqual(
      lines.map((line) => line.split(' = ')[0] ?? '').filter((name) => !known.includes(name)),
      [],
    )
  })

  test('the service detects whether a database URL leads to a pooler or directly to PostgreSQL', async () => {
    assert.equal(isPooled(await awaitDatabase(bouncer.url)), true)
    assert.equal(isPooled(await awaitDatabase(service.databaseUrl)), false)
  })

  test('behind PgBouncer, the service accepts, processes, and charges many requests at the same time, and delivers their webhooks', async () => {
    await using worker = await startRole('worker', settings)
    const post = (key: number) =>
      service.call('POST', `${api}/v1/images/process`, {
        body: ask('/photo.png'),
        headers: { 'idempotency-key': `key-${key}` },
      })
    const keys = Array.from({ length: 12 }, (_, key) => key)
    const accepted = await Promise.all(keys.map(post))
    const replayed = await Promise.all(keys.map(post))
    assert.deepEqual([...new Set(accepted.map(({ status }) => status))], [202])
    assert.deepEqual([...new Set(replayed.map(({ status }) => status))], [200])
    const ids = new Set([...accepted, ...replayed].map(({ body }) => Number(body.id)))
    assert.equal(ids.size, keys.length)
    const ended = await Promise.all([...ids].map((id) => service.settled(id)))
    assert.deepEqual([...new Set(ended.map(({ status }) => status))], ['succeeded'])
    assert.equal((await service.call('GET', ended[0].result.files[0].url.replace(service.url, api))).status, 302)
    const events = (await receiver.arrived(ids.size)).map(({ headers }) => headers['service-event-id'])
    assert.equal(new Set(events).size, ids.size)
    const [charged] = await service.sql`select count(*)::integer as times from ledger where kind = 'charge'`
    assert.equal(charged?.['times'], ids.size)
    assert.equal(await worker.stop(), 0)
  })

  test('behind PgBouncer, long polls and event streams are notified when a request ends, and text watermarks are drawn [waiting.prefer.1, events.list.5, streams.events.1]', async () => {
    await using _worker = await startRole('worker', settings)
    const prefer = { prefer: 'wait=55' }
    const { body: known } = await service.call('GET', `${api}/v1/events?limit=100`)
    const list = service.call('GET', `${api}/v1/events?after=${known.data.at(-1).id}`, { headers: prefer })
    const waited = await service.call('POST', `${api}/v1/images/process`, { body: ask('/photo.png'), headers: prefer })
    assert.deepEqual([waited.status, waited.body.status], [200, 'succeeded'])
    const shown = (await list).body.data
    assert.deepEqual(
      shown.map(({ data }: { data: { id: number } }) => data.id),
      [waited.body.id],
    )
    const { body: queued } = await service.call('POST', `${api}/v1/images/process`, { body: ask('/photo.png') })
    const stream = await fetch(`${api}/v1/requests/${queued.id}/events`, {
      headers: { authorization: `Bearer ${service.account.liveKey}` },
    })
    assert.match(await stream.text(), /"status":"succeeded"/)
    const stamp = await service.call('POST', `${api}/v1/stamps`, { body: { type: 'text', text: '© Jane Doe' } })
    assert.deepEqual([stamp.status, stamp.body.format], [201, 'PNG'])
  })

  test('a worker without database notifications still stops the job of an aborted request [requests.abort.2]', async () => {
    await using _worker = await startRole('worker', settings)
    await abortsWhileDownloading(service, sources, api, ask('/hang.png'))
  })

  test('a worker behind a pooler receives database notifications through DATABASE_LISTEN_URL', async () => {
    await using _worker = await startRole('worker', { ...settings, DATABASE_LISTEN_URL: service.databaseUrl })
    const [listening] = await service.sql`
      select count(*)::integer as connections from pg_stat_activity
      where datname = current_database() and application_name = 'mediamill listen' and query like 'listen%'`
    assert.equal(listening?.['connections'], 1)
    await abortsWhileDownloading(service, sources, api, ask('/hang.png'))
  })

  test('a process rejects a DATABASE_LISTEN_URL that also leads to the pooler', async () => {
    const worker = run(['worker'], { ...settings, DATABASE_LISTEN_URL: bouncer.url })
    assert.equal(await worker.ended, 1)
    assert.match(worker.err(), /^mediamill: DATABASE_LISTEN_URL uses a connection pooler/)
  })

  for (const role of ['api', 'worker'])
    test(`a process rejects a DATABASE_LISTEN_URL of another database [${role}]`, async () => {
      await using other = await createDatabase()
      // Test databases are copies of one template, so they have the same id. Change the id of the copy.
      await other.sql`update database_id set id = gen_random_uuid()`
      const started = run([role], { ...settings, DATABASE_LISTEN_URL: other.url })
      assert.equal(await started.ended, 1)
      assert.match(started.err(), /^mediamill: DATABASE_LISTEN_URL and DATABASE_URL lead to different databases/)
    })

  const readiness = async () => (await fetch(`${api}/readyz`)).status

  test('a call during a pause of PgBouncer waits, and succeeds when PgBouncer resumes', async () => {
    bouncer.pause()
    const call = service.call('POST', `${api}/v1/images/process`, { body: ask('/photo.png') })
    await until(async () => (await readiness()) === 503)
    bouncer.resume()
    assert.equal((await call).status, 202)
    await until(async () => (await readiness()) === 200)
  })

  test('calls succeed again after a stopped pooler restarts', async () => {
    await bouncer.stop()
    assert.equal(await readiness(), 503)
    assert.equal((await service.call('POST', `${api}/v1/images/process`, { body: ask('/photo.png') })).status, 503)
    await bouncer.start()
    await until(async () => (await readiness()) === 200)
    assert.equal((await service.call('POST', `${api}/v1/images/process`, { body: ask('/photo.png') })).status, 202)
  })
})

async function abortsWhileDownloading(service: Service, sources: SourceServer, api: string, body: object) {
  const hanging = Promise.withResolvers<IncomingMessage>()
  sources.files.set('/hang.png', (call, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('x')
    hanging.resolve(call)
  })
  const accepted = await service.call('POST', `${api}/v1/images/process`, { body })
  assert.equal(accepted.status, 202)
  const { socket } = await hanging.promise
  assert.equal((await service.call('POST', `${api}/v1/requests/${accepted.body.id}/abort`)).status, 200)
  if (!socket.closed) await once(socket, 'close')
}

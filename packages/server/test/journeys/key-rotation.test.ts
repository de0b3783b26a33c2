import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { createDatabase } from '@mediamill/lab/support/database'
import { quarters } from '@mediamill/lab/support/images'
import { freePort, run, until } from '@mediamill/lab/support/process'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { SECRET_KEY as OLD, openAccount } from '@mediamill/lab/support/request-rows'
import type { RoleProcess } from '@mediamill/lab/support/role-process'
import { startRole } from '@mediamill/lab/support/role-process'
import type { Json } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import { fingerprintOf } from '@mediamill/server/lib/key-fingerprint'
import { Webhook } from 'standardwebhooks'

const NEW = 'the key that replaces the key of these tests'

type Role = { name: 'api' | 'worker'; port: number; process: RoleProcess; isUp: boolean }

async function startFleet(t: TestContext) {
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  const sources = stack.use(await startSourceServer({ '/photo.png': await quarters(40, 30) }))
  sources.files.set('/put', (call: IncomingMessage, response: ServerResponse) => {
    call.resume().on('end', () => response.writeHead(200).end())
  })
  const receiver = stack.use(await startReceiver(204))
  const database = stack.use(await createDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'mediamill-rotation-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const account = await openAccount(database.sql)
  await database.sql`
    update accounts set balance = 1000000000, requests_per_minute = 100000 where id = ${account.id}`
  const settings = (secretKey: string, port: number) => ({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    DATA_DIR: dataDir,
    PORT: String(port),
    ISOLATION: 'process',
    ALLOWED_PRIVATE_HOSTS: [sources.host, receiver.host].join(','),
  })
  const start = async (name: Role['name'], secretKey: string): Promise<Role> => {
    const port = await freePort()
    return { name, port, process: await startRole(name, settings(secretKey, port)), isUp: true }
  }
  const roles = await Promise.all((['api', 'api', 'worker'] as const).map((name) => start(name, OLD)))
  stack.defer(async () => {
    await Promise.all(roles.map(({ process }) => process[Symbol.asyncDispose]()))
  })
  return { sources, receiver, sql: database.sql, account, settings, roles }
}

type Fleet = Awaited<ReturnType<typeof startFleet>>

function startCalls({ sources, receiver, account, roles }: Fleet) {
  const links: string[] = []
  const ids: number[] = []
  const faults: string[] = []
  let isStopped = false
  let rounds = 0
  const apis = () =>
    roles.filter(({ name, isUp }) => name === 'api' && isUp).map(({ port }) => `http://127.0.0.1:${port}`)

  async function processOne(api: string): Promise<string> {
    const response = await fetch(`${api}/v1/images/process`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${account.liveKey}`,
        'content-type': 'application/json',
        prefer: 'wait=50',
        connection: 'close',
      },
      body: JSON.stringify({
        source: sources.url('/photo.png'),
        operations: [{ type: 'grayscale' }],
        output: { format: 'png', destination: { url: sources.url('/put') } },
        webhook_url: receiver.url('/hook'),
      }),
    })
    const request = (await response.json()) as Json
    if (request.status !== 'succeeded') throw new Error(`${response.status} ${JSON.stringify(request)}`)
    ids.push(request.id)
    const { pathname, search } = new URL(request.result.files[0].url)
    return pathname + search
  }

  async function fetchLinks(api: string): Promise<void> {
    for (const link of [...links.slice(0, 2), ...links.slice(-3)]) {
      const result = await fetch(api + link, { redirect: 'manual', headers: { connection: 'close' } })
      await result.body?.cancel()
      const { pathname, search } = new URL(result.headers.get('location') ?? 'http://none/', api)
      const file = await fetch(api + pathname + search, { headers: { connection: 'close' } })
      await file.body?.cancel()
      if (result.status !== 302 || file.status !== 200) faults.push(`${link}: ${result.status}, file ${file.status}`)
    }
  }

  let round = Promise.resolve()
  const done = (async () => {
    for (let turn = 0; !isStopped && faults.length === 0; turn += 1) {
      round = (async () => {
        const up = apis()
        links.push(await processOne(up[turn % up.length] ?? assert.fail()))
        for (const api of up) await fetchLinks(api)
      })()
      await round.catch((error: unknown) => faults.push(inspect(error)))
      rounds += 1
    }
  })()
  return {
    links,
    ids,
    faults,
    rounds: () => rounds,
    settled: () => round.catch(() => undefined),
    stop: async () => {
      isStopped = true
      await done
    },
  }
}

test('rotating SECRET_KEY while calls arrive breaks no link and loses no webhook, and a process that lacks the current key or starts with a retired key exits [operator.settings.8, operator.commands.12]', {
  timeout: 600_000,
}, async (t) => {
  const fleet = await startFleet(t)
  const { receiver, sql, account, settings, roles } = fleet
  const calls = startCalls(fleet)
  t.after(() => calls.stop())
  const [old, current] = [fingerprintOf(OLD), fingerprintOf(NEW)]

  const serveSome = async () => {
    const before = calls.rounds()
    // The first of these rounds may have begun before the restart.
    await until(() => calls.rounds() >= before + 3 || calls.faults.length > 0)
    assert.deepEqual(calls.faults, [])
  }
  const restart = async (role: Role, secretKey: string) => {
    role.isUp = false
    await calls.settled()
    assert.equal(await role.process.stop(), 0)
    role.process = await startRole(role.name, settings(secretKey, role.port))
    role.isUp = true
  }
  const roll = async (secretKey: string) => {
    const [first, second, worker] = roles
    assert.ok(first !== undefined && second !== undefined && worker !== undefined)
    await Promise.all([restart(first, secretKey), restart(worker, secretKey)])
    await serveSome()
    await restart(second, secretKey)
    await serveSome()
  }
  const keyRing = async (secretKey: string, ...args: string[]) => {
    const command = run(['key-ring', ...args], settings(secretKey, 8080))
    return { code: await command.ended, out: command.out(), err: command.err() }
  }
  const startsWith = async (secretKey: string) => {
    const api = run(['api'], { ...settings(secretKey, await freePort()), LOG_LEVEL: 'fatal' })
    assert.equal(await api.ended, 1)
    return api.err()
  }

  await serveSome()
  await roll(`${OLD},${NEW}`)
  await roll(`${NEW},${OLD}`)
  assert.match(await startsWith(OLD), new RegExp(`lacks the key ${current}`))
  const resealed = await keyRing(`${NEW},${OLD}`, 'reseal')
  assert.match(resealed.out, /^Encrypted 1 webhook secret and \d destinations? with the first key\.\n$/, resealed.err)
  await serveSome()
  assert.match((await keyRing(`${NEW},${OLD}`, 'retire', old)).err, /may be valid until/)

  // Pretend that the old key was last used 8 days ago: results that it signed have expired.
  await sql`update secret_keys set last_used_at = now() - interval '8 days' where fingerprint = ${old}`
  calls.links.splice(0, calls.links.length - 1)
  const retired = await keyRing(`${NEW},${OLD}`, 'retire', old)
  assert.equal(retired.code, 0, retired.err)
  await roll(NEW)
  assert.match(await startsWith(`${OLD},${NEW}`), new RegExp(`first key of SECRET_KEY, ${old}, is retired`))
  assert.match(await startsWith(OLD), new RegExp(`lacks the key ${current}`))

  await calls.stop()
  assert.deepEqual(calls.faults, [])
  const stored = fleet.sources.calls.filter(({ method }) => method === 'PUT')
  assert.ok(stored.length >= calls.ids.length)
  const webhook = new Webhook(account.webhookSecret)
  const verified = () =>
    new Set(
      receiver.received.map(({ raw, headers }) => {
        webhook.verify(raw.toString(), headers as Record<string, string>)
        return JSON.parse(raw.toString()).data.id as number
      }),
    )
  await until(() => calls.ids.every((id) => verified().has(id)))
  const [stuck] = await sql<
    { attempts: number }[]
  >`select count(*)::integer as attempts from delivery_attempts where status is distinct from 204`
  assert.equal(stuck?.attempts, 0)
  t.diagnostic(`${calls.ids.length} requests`)
})

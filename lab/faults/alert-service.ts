import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { openClocks } from '../chaos/clocks.ts'
import type { FaultyStore } from '../chaos/faulty-store.ts'
import type { Fleet } from '../chaos/fleet.ts'
import type { SettableClock } from '../support/faketime.ts'
import { until } from '../support/process.ts'
import type { Receiver } from '../support/receiver.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSourceServer } from '../support/source-server.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import type { Bench } from './bench.ts'
import { openBench } from './bench.ts'

export const SMALL_DISK_BYTES = 64 * 1024 * 1024

/** The download time of a slow source. It exceeds the time in which workers take over a lost worker's requests. */
const LONG_MS = 20_000
const PIECES = 50

async function sendSlowly(response: ServerResponse, file: Buffer): Promise<void> {
  response.writeHead(200, { 'content-length': file.length })
  for (let piece = 0; piece < PIECES; piece += 1) {
    const [from, to] = [piece, piece + 1].map((each) => (file.length * each) / PIECES)
    response.write(file.subarray(from, to))
    await delay(LONG_MS / PIECES)
  }
  response.end()
}

/** Two API servers and two workers, with a bucket and the system's PostgreSQL. A test can make each of them fail. */
export type Service = AsyncDisposable & {
  fleet: Fleet
  settings: Record<string, string>
  dataDir: string
  accounts: readonly NewAccount[]
  sql: Sql
  /** Connections that bypass the proxy, and have no statement timeout. */
  admin: Sql
  databaseProxy: TcpProxy
  databasePort: number
  clock: SettableClock
  store: FaultyStore
  receiver: Receiver
  webhookUrl: string
  smallDisk: string
  accept: (kind: string, account: number, more?: object) => Promise<number>
  queued: () => Promise<number>
  /** Resolves when both API servers are ready and both workers send heartbeats. */
  ready: () => Promise<void>
  idle: () => Promise<void>
  call: Bench['call']
}

export async function openService(): Promise<Service> {
  await using stack = new AsyncDisposableStack()
  const clocks = stack.use(await openClocks())
  const receiver = stack.use(await startReceiver(204))
  const smallDisk = await mkdtemp(join(tmpdir(), 'mediamill-small-disk-'))
  stack.defer(() => rm(smallDisk, { recursive: true }))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_BYTES}`, 'tmpfs', smallDisk]).status !== 0)
    throw new Error('mounting the tmpfs disk failed')
  stack.defer(() => void spawnSync('umount', ['--lazy', smallDisk]))
  let longUrl = ''
  let databasePort = 0
  let databaseProxy: TcpProxy | undefined
  const bench = stack.use(
    await openBench({
      apis: 2,
      workers: 2,
      environment: { accounts: 2, store: 's3rver', database: 'pair', clocks },
      async settings({ settings, files }) {
        const url = new URL(settings['DATABASE_URL'] ?? '')
        databasePort = Number(url.port)
        databaseProxy = stack.use(await startTcpProxy(databasePort))
        url.port = String(databaseProxy.port)
        const long = stack.use(
          await startSourceServer({
            '/long': (_call, response) => void sendSlowly(response, files.small),
          }),
        )
        longUrl = long.url('/long')
        return {
          DATABASE_URL: url.href,
          ALLOWED_PRIVATE_HOSTS: `${settings['ALLOWED_PRIVATE_HOSTS']},${receiver.host},${long.host}`,
        }
      },
      settingsOf: (role, index) =>
        (role === 'api' && index === 1 ? { DATA_DIR: smallDisk } : {}) as Record<string, string>,
    }),
  )
  const { environment, fleet, settings, call } = bench
  const { sql, store } = environment
  if (store === undefined || databaseProxy === undefined) throw new Error('the store or the database proxy is missing')
  const admin = connect(environment.database.ownUrl, { connections: 4, applicationName: 'faults', patient: true })
  stack.defer(() => admin.end({ timeout: 5 }))

  const queued = async () => {
    const [row] = await sql<{ jobs: number }[]>`select count(*)::integer as jobs from jobs`
    return row?.jobs ?? 0
  }
  const undelivered = async () => {
    const [row] = await sql<
      { events: number }[]
    >`select count(*)::integer as events from events where due_at is not null`
    return row?.events ?? 0
  }
  const ready = async () => {
    await until(async () => {
      const responses = await Promise.all([0, 1].map((api) => call('GET', '/v1/account', { api, timeoutMs: 3_000 })))
      return responses.every(({ status }) => status === 200)
    })
    await until(async () => {
      const [row] = await sql<{ alive: number }[]>`
        select count(*)::integer as alive from workers where seen_at between now() - interval '5 seconds' and now()`
      return row?.alive === 2
    })
  }
  const running = stack.move()
  return {
    fleet,
    settings,
    dataDir: environment.dataDir,
    accounts: environment.accounts,
    sql,
    admin,
    databaseProxy,
    databasePort,
    clock: clocks.database,
    store,
    receiver,
    webhookUrl: receiver.url('/hook'),
    smallDisk,
    call,
    async accept(kind, account, more = {}) {
      const source = kind === 'long' ? longUrl : environment.sources(kind)
      const body = { source, operations: [{ type: 'resize', width: 64, height: 64 }], ...more }
      return (await call('POST', '/v1/images/process', { body, account })).status
    },
    queued,
    ready,
    async idle() {
      await ready()
      await until(async () => (await queued()) + (await undelivered()) === 0)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

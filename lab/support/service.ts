import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountId } from '@mediamill/contract/domain/ids'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { microUsd } from '@mediamill/contract/domain/money'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import { startApi } from '@mediamill/server/app/api'
import type { ConsoleParts } from '@mediamill/server/app/console'
import type { ServiceConfig } from '@mediamill/server/app/installation'
import type { Role } from '@mediamill/server/app/role'
import { startWorkers } from '@mediamill/server/app/worker'
import { readConfig } from '@mediamill/server/config/config'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { createLog } from '@mediamill/server/telemetry/log'
import type { DestinationStream } from 'pino'
import { checkResponse } from './contract.ts'
import { createDatabase } from './database.ts'
import { freePort, until } from './process.ts'
import { openAccount, SECRET_KEY } from './request-rows.ts'
import { shared } from './shared.ts'

export type CallResponse = { status: number; headers: Headers; body: Json }

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert each field of a response
export type Json = any

export type CallOptions = { key?: string | null; body?: unknown; headers?: Record<string, string> }

export type Service = AsyncDisposable & {
  url: string
  sql: Sql
  databaseUrl: string
  dataDir: string
  account: NewAccount & { id: AccountId }
  /** Makes a call, and checks the response. Sends the live key by default, and no key if `key` is `null`. */
  call: (method: string, path: string, options?: CallOptions) => Promise<CallResponse>
  finish: (path: string, body: unknown, options?: CallOptions) => Promise<Json>
  /** Starts a second API server on the same database. Returns its URL. */
  another: (differing?: Partial<ServiceConfig>) => Promise<string>
  /** Waits until an API server has exactly `count` open long polls. */
  holds: (count: number, url?: string) => Promise<void>
  settled: (id: number, key?: string) => Promise<Json>
}

export type ServiceOptions = {
  /** Private hosts that the service may fetch from, as `host:port`: the servers of the test. */
  allowed?: string[]
  settings?: Record<string, string>
  credit?: MicroUsd
  /** Whether to start workers (default: true). Without workers, requests stay queued. */
  workers?: boolean
  console?: ConsoleParts
  logTo?: DestinationStream
}

/** Starts a service. Its account's rate limit is so high that no test reaches it. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const database = await createDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'mediamill-service-'))
  const port = await freePort()
  const config = readConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SECRET_KEY,
    ALLOWED_PRIVATE_HOSTS: (options.allowed ?? []).join(','),
    LOG_LEVEL: 'fatal',
    // Most tests use one kind of engine, and starting all four in advance takes longer than the test.
    WARM_ENGINES: 'none',
    ...options.settings,
  })
  const home = { ...config, databaseUrl: database.url, secretKey: SECRET_KEY }
  const log = createLog(config.logLevel, 'test', options.logTo)
  const roles: Role[] = [await startApi(home, log, options.console)]
  if (options.workers !== false) roles.push(await startWorkers(home, log))
  const account = await openAccount(database.sql, options.credit ?? microUsd(1_000_000_000))
  await database.sql`
    update accounts set requests_per_minute = 100000, concurrent_requests = 1000 where id = ${account.id}`
  const url = `http://127.0.0.1:${port}`

  async function call(method: string, path: string, { key, body, headers }: CallOptions = {}): Promise<CallResponse> {
    const response = await fetch(path.startsWith('http') ? path : url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key ?? account.liveKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const callResponse = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : parse(text),
    }
    checkResponse(method, path, callResponse)
    return callResponse
  }

  async function settled(id: number, key?: string): Promise<Json> {
    let body: Json
    await until(async () => {
      ;({ body } = await call('GET', `/v1/requests/${id}`, key === undefined ? {} : { key }))
      return body.status !== 'queued' && body.status !== 'processing'
    })
    return body
  }

  return {
    url,
    sql: database.sql,
    databaseUrl: database.url,
    dataDir,
    account,
    call,
    settled,
    holds: (count, of = url) =>
      until(async () => {
        const text = await (await fetch(`${of}/metrics`)).text()
        return text.includes(`\nmediamill_long_polls ${count}\n`)
      }),
    async another(differing = {}) {
      const other = await freePort()
      roles.push(await startApi({ ...home, ...differing, port: other }, log))
      return `http://127.0.0.1:${other}`
    },
    async finish(path, body, options = {}) {
      const accepted = await call('POST', path, { ...options, body })
      if (accepted.status !== 202) throw new Error(`${accepted.status} ${JSON.stringify(accepted.body)}`)
      return await settled(accepted.body.id, options.key ?? undefined)
    },
    async [Symbol.asyncDispose]() {
      for (const role of roles) await role.stop()
      await database[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export const sharedService = async (options: ServiceOptions = {}): Promise<Service> =>
  shared(await startService(options))

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

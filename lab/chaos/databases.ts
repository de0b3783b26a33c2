import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import { startPair } from '../support/database-pair.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'

/** A kind of database. `pair`: a primary and a synchronous standby behind a TCP proxy. `pooled`: behind PgBouncer. */
export type DatabaseKind = 'embedded' | 'pair' | 'pooled'

type DatabaseOptions = { dataDir: string; environment?: Record<string, string> | undefined }

export type ChaosDatabase = AsyncDisposable & {
  url: string
  /** The database URL for this program, which never uses PgBouncer. */
  ownUrl: string
  /** Ends the server, which then restarts: `SIGKILL` acts like a crash, `SIGQUIT` like an immediate shutdown. */
  end: (signal: 'SIGKILL' | 'SIGQUIT') => Promise<void>
  /** Kills the primary or makes it hang (`SIGSTOP`), promotes the standby, and redirects all clients to it. */
  failOver: (how: 'SIGKILL' | 'SIGSTOP') => Promise<void>
  rebuild: () => Promise<void>
}

const none = (what: string) => () => Promise.reject(new Error(`this database cannot ${what}`))

export async function openChaosDatabase(
  kind: DatabaseKind,
  { dataDir, environment }: DatabaseOptions,
): Promise<ChaosDatabase> {
  return kind === 'embedded' ? await openEmbedded(dataDir) : await openPair(kind, environment)
}

async function openEmbedded(dataDir: string): Promise<ChaosDatabase> {
  const embedded = await startEmbedded(dataDir, { log: () => undefined })
  return {
    url: embedded.url,
    ownUrl: embedded.url,
    async end(signal) {
      const pid = await serverOf(dataDir)
      process.kill(pid, signal)
      while ((await serverOf(dataDir).catch(() => pid)) === pid) await delay(20)
    },
    failOver: none('fail over'),
    rebuild: none('be rebuilt'),
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  }
}

async function openPair(kind: 'pair' | 'pooled', environment: Record<string, string> = {}): Promise<ChaosDatabase> {
  await using stack = new AsyncDisposableStack()
  const pair = stack.use(await startPair({ synchronous: true, environment }))
  const bouncer = kind === 'pooled' ? stack.use(await startPgBouncer(pair.urls[0], { servers: 30 })) : undefined
  const running = stack.move()
  return {
    url: bouncer?.url ?? pair.url,
    ownUrl: pair.url,
    end: none('be ended and started again'),
    async failOver(how) {
      await pair.failOver(how)
      await bouncer?.repoint(pair.urls[pair.primary()])
    },
    rebuild: pair.rebuild,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function serverOf(dataDir: string): Promise<number> {
  const text = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  return Number(text.split('\n')[0])
}

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProxySockets } from './tcp-proxy.ts'

/** A proxy to a test's database. After `cut`, clients cannot reach the database until `mend`. */
type CuttableDatabase = AsyncDisposable & {
  url: string
  cut: () => Promise<void>
  mend: () => Promise<void>
  /** From now on, each statement that matches `asked` hangs, or the connection on which it was sent is closed. */
  failAt: (asked: RegExp, how: 'hang' | 'close') => void
  /** Commits the next statement that matches `asked`, but closes the connection before the client gets a response. */
  loseResponseTo: (asked: RegExp) => void
}

/** The last bytes of PostgreSQL's response to a committed statement (ReadyForQuery outside a transaction). */
const COMMITTED = Buffer.from('Z\0\0\0\x05I', 'latin1')

/** Opens a proxy to a database. `databaseUrl` contains the folder of the database's Unix socket. */
export async function openCuttableDatabase(databaseUrl: string): Promise<CuttableDatabase> {
  const url = new URL(databaseUrl)
  const there = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-cut-'))
  const here = join(folder, '.s.PGSQL.5432')
  url.searchParams.set('host', folder)
  const sockets = new ProxySockets()
  let server: Server | undefined
  let failing: { asked: RegExp; how: 'hang' | 'close' } | undefined
  let losing: RegExp | undefined

  function fails(client: Socket, asked: Buffer): boolean {
    if (failing?.asked.test(asked.toString('latin1')) !== true) return false
    if (failing.how === 'hang') client.pause()
    else client.destroy()
    return true
  }

  async function mend(): Promise<void> {
    failing = undefined
    server = createServer((client) => {
      const database = connect(there)
      let isLost = false
      client.on('data', (asked) => {
        if (losing?.test(asked.toString('latin1')) === true) {
          isLost = true
          losing = undefined
        }
        if (!fails(client, asked)) database.write(asked)
      })
      database.on('data', (response) => {
        if (isLost && response.includes(COMMITTED)) client.destroy()
        else client.write(response)
      })
      database.on('end', () => client.end())
      sockets.pair(client, database)
    }).listen(here)
    await once(server, 'listening')
  }

  async function cut(): Promise<void> {
    if (server === undefined) return
    await sockets.stop(server)
    server = undefined
  }

  await mend()
  return {
    url: url.href,
    cut,
    mend,
    failAt(asked, how) {
      failing = { asked, how }
    },
    loseResponseTo(asked) {
      losing = asked
    },
    async [Symbol.asyncDispose]() {
      await cut()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

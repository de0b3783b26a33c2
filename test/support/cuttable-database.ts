import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A second way to a test's database, which can be cut and mended: to its users the database goes away and comes back. */
export type CuttableDatabase = AsyncDisposable & {
  url: string
  /** Ends every connection and takes no new one. */
  cut: () => Promise<void>
  mend: () => Promise<void>
  /** From now on a connection that asks for something like this hears nothing more, or is closed. */
  failAt: (asked: RegExp, how: 'hang' | 'close') => void
}

/** Opens that way; `databaseUrl` names a database by its socket's folder. */
export async function openCuttableDatabase(databaseUrl: string): Promise<CuttableDatabase> {
  const url = new URL(databaseUrl)
  const there = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-cut-'))
  const here = join(folder, '.s.PGSQL.5432')
  url.searchParams.set('host', folder)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let failing: { asked: RegExp; how: 'hang' | 'close' } | undefined

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
      client.on('data', (asked) => {
        if (!fails(client, asked)) database.write(asked)
      })
      database.pipe(client)
      for (const [one, other] of [
        [client, database],
        [database, client],
      ] as const) {
        sockets.add(one)
        one.on('error', () => other.destroy())
        one.on('close', () => {
          sockets.delete(one)
          other.destroy()
        })
      }
    }).listen(here)
    await once(server, 'listening')
  }

  async function cut(): Promise<void> {
    if (server === undefined) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
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
    async [Symbol.asyncDispose]() {
      await cut()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

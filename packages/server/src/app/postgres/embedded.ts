import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { PLAIN_ENVIRONMENT } from './account.ts'
import type { KeeperMessage } from './paths.ts'
import { COMPILE_CACHE, keeperPaths, prepareDataDir } from './paths.ts'

const KEEPER = fileURLToPath(new URL('./keeper.ts', import.meta.url))
const DEADLINE_MS = 90_000
const REOPEN_MS = 2_000

/** The embedded PostgreSQL, held: it runs at least until this is disposed of. */
export type Embedded = AsyncDisposable & {
  url: string
  /** Whether it was running before: another process holds it too. */
  adopted: boolean
}

export type EmbeddedOptions = {
  /** Takes PostgreSQL's own lines, and what an operator should know. */
  log: (line: string) => void
  /** For tests: no flush to disk, kept for 3 s after the last user, then removed. */
  temporary?: boolean
}

/**
 * Starts the PostgreSQL of a data folder, or adopts one that runs already.
 *
 * Any number of processes may call this at once and end in any way: the server runs as long as one of them holds it,
 * and is started again when it dies meanwhile. Throws `OperatorError` when it cannot be started.
 */
export async function startEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const folder = prepareDataDir(dataDir)
  let disposed = false
  let held = await hold(folder, options)
  held.socket.once('close', reopen)

  /** The keeper was killed while we were using its database. */
  function reopen(): void {
    if (disposed) return
    hold(folder, options).then(
      (again) => {
        held = again
        if (disposed) held.socket.end()
        else held.socket.once('close', reopen)
      },
      (error: unknown) => {
        options.log(error instanceof Error ? error.message : String(error))
        // A full disk, say, may be emptied: as long as someone needs the database it is tried again.
        setTimeout(reopen, REOPEN_MS).unref()
      },
    )
  }

  return {
    url: held.url,
    adopted: held.adopted,
    async [Symbol.asyncDispose]() {
      if (disposed) return
      disposed = true
      if (held.socket.destroyed) return
      held.socket.ref()
      held.socket.end()
      await once(held.socket, 'close')
    },
  }
}

type Held = { socket: Socket; url: string; adopted: boolean }

async function hold(dataDir: string, options: EmbeddedOptions): Promise<Held> {
  const { socket: address } = keeperPaths(dataDir)
  const deadline = Date.now() + DEADLINE_MS
  let keeper: Keeper | undefined
  while (Date.now() < deadline) {
    const socket = await dial(address)
    const held = socket && (await greeting(socket, options.log))
    if (held !== undefined) return held
    if (keeper?.failure() !== undefined) throw new OperatorError(`The embedded PostgreSQL failed: ${keeper.failure()}`)
    if (keeper === undefined || keeper.ended()) keeper = startKeeper(dataDir, options.temporary ?? false)
    await delay(10)
  }
  throw new OperatorError(`The embedded PostgreSQL did not start within ${DEADLINE_MS / 1000} s.`)
}

/** A connection to the keeper, or `undefined` while there is none. */
async function dial(address: string): Promise<Socket | undefined> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  }
}

/** Waits for the keeper's word that the database answers; `undefined` when it was on its way out. */
function greeting(socket: Socket, log: (line: string) => void): Promise<Held | undefined> {
  return new Promise((resolve, reject) => {
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(undefined))
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as KeeperMessage
      switch (message.type) {
        case 'log':
          log(message.line)
          break
        case 'failed':
          reject(new OperatorError(message.message))
          break
        case 'ready':
          // Holding the database keeps no process alive that has nothing else to do.
          socket.unref()
          resolve({ socket, url: message.url, adopted: message.adopted })
      }
    })
  })
}

type Keeper = { ended: () => boolean; failure: () => string | undefined }

function startKeeper(dataDir: string, temporary: boolean): Keeper {
  const flags = [KEEPER, dataDir, JSON.stringify({ temporary })]
  // Detached: it outlives this process, and a terminal's Ctrl-C does not reach it.
  const child: ChildProcess = spawn(process.execPath, flags, {
    detached: true,
    cwd: '/',
    env: { ...PLAIN_ENVIRONMENT, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.on('error', (error) => {
    said += error.message
  })
  child.unref()
  if (child.stderr !== null && 'unref' in child.stderr) (child.stderr as Socket).unref()
  const ended = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  const failure = () => {
    const lines = said.trim().split('\n')
    return lines.find((line) => /^\w*Error/.test(line)) ?? lines[0] ?? ''
  }
  return { ended, failure: () => (ended() && child.exitCode !== 0 ? failure() : undefined) }
}

import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { dial } from './dial.ts'
import { PLAIN_ENVIRONMENT } from './os-user.ts'
import type { SupervisorMessage } from './paths.ts'
import { COMPILE_CACHE, prepareDataDir, supervisorPaths } from './paths.ts'

const SUPERVISOR = fileURLToPath(new URL('./supervisor.ts', import.meta.url))
const DEADLINE_MS = 90_000
const REOPEN_MS = 2_000

/** A handle to the embedded PostgreSQL. PostgreSQL stops when all processes have disposed of their handles. */
type Embedded = AsyncDisposable & {
  url: string
  adopted: boolean
}

type EmbeddedOptions = {
  log: (line: string) => void
  /** For tests: does not flush to disk. The database is deleted 3 s after its last user ends. */
  temporary?: boolean
}

export async function startEmbedded(dataDir: string, options: EmbeddedOptions): Promise<Embedded> {
  const folder = prepareDataDir(dataDir)
  let disposed = false
  let opened = await hold(folder, options)
  opened.socket.once('close', reopen)

  function reopen(): void {
    if (disposed) return
    hold(folder, options).then(
      (again) => {
        opened = again
        if (disposed) opened.socket.end()
        else opened.socket.once('close', reopen)
      },
      (error: unknown) => {
        options.log(error instanceof Error ? error.message : String(error))
        // Retries, because the cause may be temporary, such as a full disk.
        setTimeout(reopen, REOPEN_MS).unref()
      },
    )
  }

  return {
    url: opened.url,
    adopted: opened.adopted,
    async [Symbol.asyncDispose]() {
      if (disposed) return
      disposed = true
      if (opened.socket.destroyed) return
      opened.socket.ref()
      opened.socket.end()
      await once(opened.socket, 'close')
    },
  }
}

type Connection = { socket: Socket; url: string; adopted: boolean }

async function hold(dataDir: string, options: EmbeddedOptions): Promise<Connection> {
  const { socket: address } = supervisorPaths(dataDir)
  const deadline = Date.now() + DEADLINE_MS
  let supervisor: Supervisor | undefined
  while (Date.now() < deadline) {
    const socket = await dial(address)
    const opened = socket && (await greeting(socket, options.log))
    if (opened !== undefined) return opened
    if (supervisor?.failure() !== undefined)
      throw new OperatorError(`The embedded PostgreSQL failed: ${supervisor.failure()}`)
    if (supervisor === undefined || supervisor.ended())
      supervisor = startSupervisor(dataDir, options.temporary ?? false)
    await delay(10)
  }
  throw new OperatorError(`The embedded PostgreSQL did not start within ${DEADLINE_MS / 1000} s.`)
}

function greeting(socket: Socket, log: (line: string) => void): Promise<Connection | undefined> {
  return new Promise((resolve, reject) => {
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(undefined))
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as SupervisorMessage
      switch (message.type) {
        case 'log':
          log(message.line)
          break
        case 'failed':
          reject(new OperatorError(message.message))
          break
        case 'ready':
          // This socket must not keep an idle process running.
          socket.unref()
          resolve({ socket, url: message.url, adopted: message.adopted })
      }
    })
  })
}

type Supervisor = { ended: () => boolean; failure: () => string | undefined }

function startSupervisor(dataDir: string, temporary: boolean): Supervisor {
  const flags = [SUPERVISOR, dataDir, JSON.stringify({ temporary })]
  // The supervisor is detached, so that it survives this process and gets no Ctrl-C.
  const child: ChildProcess = spawn(process.execPath, flags, {
    detached: true,
    cwd: '/',
    env: { ...PLAIN_ENVIRONMENT, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.on('error', (error) => {
    output += error.message
  })
  child.unref()
  if (child.stderr !== null && 'unref' in child.stderr) (child.stderr as Socket).unref()
  const ended = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  const failure = () => {
    const lines = output.trim().split('\n')
    return lines.find((line) => /^\w*Error/.test(line)) ?? lines[0] ?? ''
  }
  return { ended, failure: () => (ended() && child.exitCode !== 0 ? failure() : undefined) }
}

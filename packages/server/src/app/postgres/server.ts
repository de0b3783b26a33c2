import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import { isListening } from './dial.ts'
import { commandOf, PLAIN_ENVIRONMENT } from './os-user.ts'
import { postgresSocket } from './paths.ts'
import type { Cluster } from './prepare-cluster.ts'
import { binary } from './program.ts'

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 30_000

export type Server = { exited: Promise<unknown>; stop: () => Promise<void> }

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  wal_compression: 'on',
  max_wal_size: '1GB',
  // For short statements, just-in-time compilation and parallel workers cost more than they save.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_worker_processes: '2',
  io_method: 'sync',
  // The rows of a request change often in a short time, so vacuum runs often, in small steps.
  autovacuum_naptime: '15s',
  autovacuum_max_workers: '2',
  // The client reports errors, so the server does not log them.
  log_min_messages: 'fatal',
  log_checkpoints: 'off',
  log_line_prefix: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

const TEMPORARY_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '64MB' }

const UNFINISHED = 'data.new-'

/** Creates the database folder, unless it exists. The folder gets its final name when all files are complete. */
export async function createCluster(cluster: Cluster, temporary: boolean): Promise<void> {
  if (existsSync(join(cluster.dataFolder, 'PG_VERSION'))) return
  for (const name of await readdir(cluster.folder)) {
    if (name.startsWith(UNFINISHED))
      await rm(join(cluster.folder, name), { recursive: true, force: true, maxRetries: 3 })
  }
  // An initdb of a killed supervisor may still be running, so each supervisor uses its own folder name.
  const unfinished = join(cluster.folder, `${UNFINISHED}${process.pid}`)
  const args = ['-D', unfinished, '-U', 'mediamill', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--data-checksums']
  await runTool(cluster, 'initdb', temporary ? [...args, '--no-sync'] : args)
  await rename(unfinished, cluster.dataFolder)
}

/** Starts PostgreSQL. Stops a server that a killed supervisor left running. Throws `OperatorError`. */
export async function startServer(
  cluster: Cluster,
  socketFolder: string,
  options: { temporary: boolean; log: (line: string) => void },
): Promise<Server> {
  const deadline = Date.now() + START_DEADLINE_MS
  for (;;) {
    const lastLines: string[] = []
    const child = spawnServer(cluster, socketFolder, options.temporary)
    const lines = createInterface({ input: child.stderr }).on('line', (line) => {
      lastLines.push(line)
      if (lastLines.length > 20) lastLines.shift()
      if (!ALREADY_RUNNING.test(line)) options.log(line)
    })
    const closed = once(lines, 'close')
    const exited = once(child, 'exit').then(() => child.guard.end('stopped\n'))
    if (await isReady(cluster, child)) return { exited, stop: () => stopServer(child, exited) }
    await withTimeout(closed, 1_000, () => undefined)
    const isAlreadyRunning = lastLines.some((line) => ALREADY_RUNNING.test(line))
    if (!isAlreadyRunning || Date.now() > deadline) {
      throw new OperatorError(
        `PostgreSQL did not start: ${lastLines.find((line) => /FATAL|PANIC/.test(line)) ?? lastLines.at(-1) ?? 'it exited without a message'}`,
      )
    }
    if (await isListening(postgresSocket(socketFolder)))
      await runTool(cluster, 'pg_ctl', ['stop', '-D', cluster.dataFolder, '-m', 'fast', '-W']).catch(() => undefined)
    await delay(100)
  }
}

const ALREADY_RUNNING = /postmaster\.pid|shared memory block|another postmaster|old server processes/

/** A shell command that runs PostgreSQL. If this process is killed, pipe 3 closes, and the shell stops PostgreSQL. */
const GUARDED = '{ { read -r word <&3 || kill -INT $$; } 2>/dev/null >&2 & } ; exec "$@" 3<&-'

type GuardedProcess = ChildProcess & { stderr: NonNullable<ChildProcess['stderr']>; guard: Writable }

function spawnServer(cluster: Cluster, socketFolder: string, temporary: boolean): GuardedProcess {
  const settings = { ...SETTINGS, unix_socket_directories: socketFolder, ...(temporary ? TEMPORARY_SETTINGS : {}) }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = [binary(cluster.program, 'postgres'), '-D', cluster.dataFolder, ...flags]
  const [command, ...args] = commandOf(cluster.launch, ['sh', '-c', GUARDED, 'sh', ...server])
  const child = spawn(command, args, {
    ...cluster.launch.credentials,
    cwd: '/',
    env: PLAIN_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  child.on('error', () => undefined)
  const guard = child.stdio[3] as Writable
  guard.on('error', () => undefined)
  return Object.assign(child, { stderr: child.stderr, guard }) as GuardedProcess
}

async function isReady(cluster: Cluster, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const lines = (await readFile(join(cluster.dataFolder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return true
    await delay(5)
  }
  return false
}

async function stopServer(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), STOP_DEADLINE_MS)
  await exited
  clearTimeout(timer)
}

async function runTool(cluster: Cluster, name: 'initdb' | 'pg_ctl', args: string[]): Promise<void> {
  const [command, ...rest] = commandOf(cluster.launch, [binary(cluster.program, name), ...args])
  const options = { ...cluster.launch.credentials, cwd: '/', env: PLAIN_ENVIRONMENT }
  try {
    await promisify(execFile)(command, rest, options)
  } catch (error) {
    const lines = error instanceof Error && 'stderr' in error ? String(error.stderr).split('\n') : []
    const message = lines.find((line) => line.trim() !== '') ?? 'it exited without a message'
    throw new OperatorError(`PostgreSQL's ${name} failed: ${message}`, { cause: error })
  }
}

import { mkdir, rm, rmdir } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { isListening } from './dial.ts'
import { takeLock } from './lock.ts'
import type { SupervisorMessage, SupervisorOptions } from './paths.ts'
import { databaseUrlOf, makeShortFolderOf, postgresSocketFolder, removeShortFolder, supervisorPaths } from './paths.ts'
import type { Cluster } from './prepare-cluster.ts'
import { makeOwnFolder, prepareCluster } from './prepare-cluster.ts'
import type { Server } from './server.ts'
import { createCluster, startServer } from './server.ts'

// This process runs the PostgreSQL of a data folder. It stops PostgreSQL when no process is connected to this process.

const LOCK_DEADLINE_MS = 60_000
/** How long to wait for the first user process. It connects immediately, unless it was killed. */
const FIRST_USER_MS = 10_000
/** How long a temporary database keeps running after its last user, so that the next test file can use it. */
const LINGER_MS = 3_000

const [dataDir = '', flags = '{}'] = process.argv.slice(2)
const { temporary } = JSON.parse(flags) as SupervisorOptions
const paths = supervisorPaths(dataDir)

const users = new Set<Socket>()
let url: string | undefined
let server: Server | undefined
let cluster: Cluster | undefined
let stopping = false
let leaving: NodeJS.Timeout | undefined

// Ignores the terminal's signals, because this process ends after the last process that uses the database.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

if (!(await becomeSupervisor())) process.exit(0)
makeShortFolderOf(dataDir, paths.socket)
await rm(paths.socket, { force: true })
const listener = createServer({ allowHalfOpen: true }, welcome)
listener.listen(paths.socket)
stopAfter(FIRST_USER_MS)
const running = run()

async function becomeSupervisor(): Promise<boolean> {
  const deadline = Date.now() + LOCK_DEADLINE_MS
  while (Date.now() < deadline) {
    // The previous supervisor may have deleted a temporary folder.
    if (temporary) await mkdir(dataDir, { recursive: true })
    if (takeLock(paths.lock) !== undefined) return true
    if (await isListening(paths.socket)) return false
    await delay(20)
  }
  throw new OperatorError(`Another process uses the lock file ${paths.lock} and does not respond. Stop that process.`)
}

function welcome(user: Socket): void {
  if (stopping) {
    user.destroy()
    return
  }
  clearTimeout(leaving)
  users.add(user)
  user.on('error', () => undefined)
  user.on('end', () => removeUser(user))
  user.on('close', () => removeUser(user))
  user.resume()
  if (url !== undefined) send(user, { type: 'ready', url, adopted: true })
}

/** Removes a user process. The connection of the last user stays open until PostgreSQL has stopped. */
function removeUser(user: Socket): void {
  if (!users.delete(user)) return
  if (users.size > 0 || temporary) user.end()
  if (users.size === 0) stopAfter(temporary ? LINGER_MS : 0)
}

function stopAfter(ms: number): void {
  clearTimeout(leaving)
  leaving = setTimeout(() => void stop(), ms)
}

function send(user: Socket, message: SupervisorMessage): void {
  user.write(`${JSON.stringify(message)}\n`)
}

function broadcast(message: SupervisorMessage): void {
  for (const user of users) send(user, message)
}

async function run(): Promise<void> {
  try {
    const log = (line: string) => broadcast({ type: 'log', line })
    cluster = await prepareCluster(dataDir, log)
    const socketFolder = postgresSocketFolder(dataDir, cluster.folder)
    makeShortFolderOf(dataDir, socketFolder)
    await makeOwnFolder(socketFolder, cluster.launch)
    await createCluster(cluster, temporary)
    while (!stopping) {
      server = await startServer(cluster, socketFolder, { temporary, log })
      if (stopping) return await server.stop()
      url = databaseUrlOf(socketFolder)
      broadcast({ type: 'ready', url, adopted: false })
      flushCompileCache()
      await server.exited
    }
  } catch (error) {
    const message = error instanceof OperatorError ? error.message : `The embedded PostgreSQL failed: ${String(error)}`
    broadcast({ type: 'failed', message })
    void stop()
  }
}

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  // New user processes can no longer connect. They start another supervisor, which waits for the lock.
  listener.close()
  await server?.stop()
  // Waits until `run` has created and started the database, so that the next supervisor finds complete files.
  await running
  if (temporary) await removeAll()
  removeShortFolder(dataDir)
  for (const user of users) user.end()
  process.exit(0)
}

async function removeAll(): Promise<void> {
  if (cluster !== undefined) await rm(cluster.folder, { recursive: true, force: true })
  await rm(join(dataDir, 'postgres'), { recursive: true, force: true })
  await rm(paths.lock, { force: true })
  await rmdir(dataDir).catch(() => undefined)
}

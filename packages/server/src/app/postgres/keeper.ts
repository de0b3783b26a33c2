import { mkdir, rm, rmdir } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import type { Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Home } from './home.ts'
import { makeOwnFolder, openHome } from './home.ts'
import { takeLock } from './lock.ts'
import type { KeeperMessage, KeeperOptions } from './paths.ts'
import { databaseUrlOf, keeperPaths, makeShortFolderOf, postgresSocketFolder, removeShortFolder } from './paths.ts'
import type { Server } from './server.ts'
import { createCluster, startServer } from './server.ts'

/**
 * A process of its own that runs the PostgreSQL of one data folder for as long as anyone holds a connection to its
 * socket. Whoever uses the database holds one; the operating system closes it when the user ends, however it ends.
 * So no user is responsible for the others, and nothing is left behind by a kill.
 */

/** A data folder's keeper has at most this long to give the lock back to its successor. */
const LOCK_DEADLINE_MS = 60_000
/** Whoever started this process connects at once; longer means that it was killed meanwhile. */
const FIRST_USER_MS = 10_000
/** A temporary database waits for the next test file. */
const LINGER_MS = 3_000

const [dataDir = '', flags = '{}'] = process.argv.slice(2)
const { temporary } = JSON.parse(flags) as KeeperOptions
const paths = keeperPaths(dataDir)

const users = new Set<Socket>()
let url: string | undefined
let server: Server | undefined
let home: Home | undefined
let stopping = false
let leaving: NodeJS.Timeout | undefined

// A terminal's Ctrl-C and a supervisor's stop are for the users; this process ends after the last of them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

if (!(await becomeKeeper())) process.exit(0)
makeShortFolderOf(dataDir, paths.socket)
await rm(paths.socket, { force: true })
const door = createServer({ allowHalfOpen: true }, welcome)
door.listen(paths.socket)
leaveAfter(FIRST_USER_MS)
const running = run()

/** Takes the folder's lock, or finds another keeper at work. */
async function becomeKeeper(): Promise<boolean> {
  const deadline = Date.now() + LOCK_DEADLINE_MS
  while (Date.now() < deadline) {
    // The keeper before takes a temporary folder away with it.
    if (temporary) await mkdir(dataDir, { recursive: true })
    if (takeLock(paths.lock) !== undefined) return true
    if (await answers(paths.socket)) return false
    await delay(20)
  }
  throw new OperatorError(`Another process holds ${paths.lock} and does not answer.`)
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

function welcome(user: Socket): void {
  if (stopping) {
    user.destroy()
    return
  }
  clearTimeout(leaving)
  users.add(user)
  user.on('error', () => undefined)
  user.on('end', () => leave(user))
  user.on('close', () => leave(user))
  user.resume()
  if (url !== undefined) tell(user, { type: 'ready', url, adopted: true })
}

/** The last one to leave waits until PostgreSQL has stopped: its connection closes with this process. */
function leave(user: Socket): void {
  if (!users.delete(user)) return
  if (users.size > 0 || temporary) user.end()
  if (users.size === 0) leaveAfter(temporary ? LINGER_MS : 0)
}

function leaveAfter(ms: number): void {
  clearTimeout(leaving)
  leaving = setTimeout(() => void stop(), ms)
}

function tell(user: Socket, message: KeeperMessage): void {
  user.write(`${JSON.stringify(message)}\n`)
}

function tellAll(message: KeeperMessage): void {
  for (const user of users) tell(user, message)
}

async function run(): Promise<void> {
  try {
    const log = (line: string) => tellAll({ type: 'log', line })
    home = await openHome(dataDir, log)
    const socketFolder = postgresSocketFolder(dataDir, home.folder)
    makeShortFolderOf(dataDir, socketFolder)
    await makeOwnFolder(socketFolder, home.launch)
    await createCluster(home, temporary)
    while (!stopping) {
      server = await startServer(home, socketFolder, { temporary, log })
      if (stopping) return await server.stop()
      url = databaseUrlOf(socketFolder)
      tellAll({ type: 'ready', url, adopted: false })
      flushCompileCache()
      await server.exited
      server = undefined
    }
  } catch (error) {
    const message = error instanceof OperatorError ? error.message : `The embedded PostgreSQL failed: ${String(error)}`
    tellAll({ type: 'failed', message })
    void stop()
  }
}

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  // From here on a newcomer finds no socket, starts another keeper, and that one waits for the lock.
  door.close()
  await server?.stop()
  // What is just being made or started is finished first: a half-made folder must not meet the next keeper.
  await running
  if (temporary) await removeAll()
  removeShortFolder(dataDir)
  for (const user of users) user.end()
  process.exit(0)
}

/** Removes what this process made, and the folder if nothing else is in it. */
async function removeAll(): Promise<void> {
  if (home !== undefined) await rm(home.folder, { recursive: true, force: true })
  await rm(join(dataDir, 'postgres'), { recursive: true, force: true })
  await rm(paths.lock, { force: true })
  await rmdir(dataDir).catch(() => undefined)
}

import { once } from 'node:events'
import { chownSync, rmdirSync } from 'node:fs'
import { chown, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Logger } from 'pino'
import { EngineLost, EngineProcess } from '../engine-process.ts'
import { readTree } from '../engine-tree.ts'
import type { Scratch } from '../scratch.ts'
import { startBait } from './bait.ts'
import type { Candidate } from './tiers.ts'
import { candidates } from './tiers.ts'

/** `auto`: the strongest walls that the host allows. `require-sandbox`: those or none. `process`: plain processes. */
export type IsolationSetting = 'auto' | 'require-sandbox' | 'process'

/** A way to start engines whose walls have been tried on this host. */
export type Isolation = Candidate & {
  /** What an engine that a stranger has taken over can reach from inside. */
  reach: Reach
}

/**
 * What a canary reached from inside the walls. Each field is whether it got there: the service's private files, other
 * jobs' folders, the network, other processes.
 */
export type Reach = { files: boolean; neighbours: boolean; network: boolean; processes: boolean }

export type IsolationOptions = {
  setting: IsolationSetting
  scratch: Scratch
  /** Every engine that is to run inside the walls; each is started once. */
  entries: string[]
  log: Logger
  /** What `openCodeCache` gave. */
  codeCache?: string | undefined
  /** The ways to try, the strongest first; those that this host's tools suggest unless given. */
  walls?: Candidate[]
}

/** The operator's setting cannot be met on this host. The message is one line for the operator. */
export class IsolationError extends OperatorError {
  override name = 'IsolationError'
}

/**
 * Starts an engine process in a folder of its own.
 *
 * `isBare` leaves out Node's permission model, which would hide from a canary what the walls let through.
 */
export function startEngine(walls: Candidate, scratch: Scratch, engine: EngineStart, isBare = false): EngineProcess {
  const folder = scratch.engineFolder()
  const setting = { ...engine, folder: folder.path, mountPoint: scratch.mountPoint }
  try {
    if (walls.user !== undefined) chownSync(folder.path, walls.user.uid, walls.user.gid)
    return new EngineProcess(walls.command(setting, isBare), folder)
  } catch (error) {
    rmdirSync(folder.path)
    throw error
  }
}

export type EngineStart = { entry: string; memoryBytes: number; cpuMs: number; fileBytes: number }

/**
 * Finds the strongest walls that hold on this host, and logs which they are. It sends a canary into each that the
 * setting allows. A sandbox counts only when the canary reached nothing and every engine starts inside it.
 *
 * Throws `IsolationError` when nothing that the setting allows works.
 */
export async function chooseIsolation({
  setting,
  scratch,
  entries,
  log,
  codeCache,
  walls = candidates(codeCache),
}: IsolationOptions): Promise<Isolation> {
  const refused: string[] = []
  for (const candidate of walls) {
    if (setting === 'process' && candidate.tier !== 'process') continue
    // wall: a service without the sandbox that it requires
    if (setting === 'require-sandbox' && candidate.tier === 'process') continue
    try {
      const reach = await unlessKilled(() => tryWalls(candidate, scratch, entries))
      const level = candidate.tier === 'process' ? 'warn' : 'info'
      log[level]({ isolation: candidate.tier, reach, refused }, `engines run inside ${candidate.description}`)
      return { ...candidate, reach }
    } catch (error) {
      refused.push(`${candidate.tier}: ${reasonOf(error)}`)
    }
  }
  throw new IsolationError(refusal(setting, refused))
}

/** Throws what these walls lack. */
async function tryWalls(candidate: Candidate, scratch: Scratch, entries: readonly string[]): Promise<Reach> {
  const reach = await sendCanary(candidate, scratch)
  const got = Object.entries(reach).flatMap(([what, reached]) => (reached ? [what] : []))
  // wall: walls that a canary gets through
  if (candidate.tier !== 'process' && got.length > 0) throw new Error(`a canary reached ${got.join(', ')}`)
  // wall: walls in which no engine starts
  await Promise.all(entries.map((entry) => startOnce(candidate, scratch, entry)))
  return reach
}

/** So often walls are tried whose canary, or whose first engine, was killed. */
const MAX_TRIES = 3

/** A kill from outside, as by a system without memory, says nothing about walls: weaker ones must not be taken for it. */
async function unlessKilled<Result>(trial: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await trial()
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof EngineLost && error.wasKilled)) throw error
    }
  }
}

/** One line: what an engine that did not start said is more telling than that it did not. */
function reasonOf(error: unknown): string {
  if (!(error instanceof EngineLost)) return error instanceof Error ? error.message : String(error)
  const lines = error.stderr.split('\n').filter((line) => line.trim() !== '')
  return lines.find((line) => /error/i.test(line)) ?? lines[0] ?? error.message
}

function refusal(setting: IsolationSetting, refused: string[]): string {
  const reasons = refused.length === 0 ? 'neither bwrap nor unshare is installed' : refused.join('; ')
  return setting === 'require-sandbox'
    ? `ISOLATION=require-sandbox, but this host allows no sandbox (${reasons}). Install bubblewrap and allow user namespaces, or set ISOLATION=auto.`
    : `No engine process can be started (${reasons}).`
}

// Enough for every engine to start in.
const PROBE = { memoryBytes: 1024 ** 3, cpuMs: 60_000, fileBytes: 1024 ** 2 }
const CANARY = { ...PROBE, entry: join(import.meta.dirname, 'canary.ts') }

/** Starts a canary inside the walls, with files to find, a server to reach and a process to meddle with. */
async function sendCanary(walls: Candidate, scratch: Scratch): Promise<Reach> {
  await using own = scratch.jobFolder()
  await using bait = await startBait()
  await using neighbour = startEngine(walls, scratch, CANARY, true)
  await using canary = startEngine(walls, scratch, CANARY, true)
  await using server = await listen()
  const theirs = await putFile(neighbour, 'theirs', walls)
  const secret = join(own.path, 'secret')
  await writeFile(secret, 'ours', { mode: 0o600 })
  const path = await putFile(canary, 'source', walls)

  await canary.ready
  const answer = await canary.ask(
    {
      task: 'canary',
      input: { path, format: 'PNG', size: 4 },
      assets: [],
      parameters: { secret, neighbour: theirs, port: server.port, bait: bait.pid, word: bait.word },
      scratch: canary.folder.path,
      limits: { maxFramePixels: 0, maxSourcePixels: 0, maxResultBytes: 0 },
    },
    { progress() {}, grant: () => Promise.reject(new Error('a canary asks for nothing')) },
  )
  if (answer.type === 'failed') throw new Error(answer.error.message)
  if (answer.data['folder'] !== true) throw new Error('an engine cannot use its own folder')
  const reached = (what: string) => answer.data[what] !== false
  // wall: a sandbox without its seccomp filter
  if (walls.isFiltered && (reached('calls') || !(await isFiltered(canary))))
    throw new Error('no seccomp filter is active')
  return {
    files: reached('files'),
    neighbours: reached('neighbours'),
    network: reached('network'),
    processes: (await bait.wasSignalled()) || reached('processes'),
  }
}

/** Whether the kernel filters the system calls of an engine: of the last process, inside all walls. */
async function isFiltered({ pid }: EngineProcess): Promise<boolean> {
  const { pids } = await readTree(pid ?? 0)
  const status = await readFile(`/proc/${pids.at(-1)}/status`, 'utf8')
  return /^Seccomp:\s+2$/m.test(status)
}

async function putFile(engine: EngineProcess, name: string, { user }: Candidate): Promise<string> {
  const path = join(engine.folder.path, name)
  await writeFile(path, 'file', { mode: 0o600 })
  if (user !== undefined) await chown(path, user.uid, user.gid)
  return path
}

async function listen(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

async function startOnce(walls: Candidate, scratch: Scratch, entry: string): Promise<void> {
  await using engine = startEngine(walls, scratch, { ...PROBE, entry })
  await engine.ready
}

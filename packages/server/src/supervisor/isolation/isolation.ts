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
import { startProbeTarget } from './probe-target.ts'
import type { Candidate } from './sandbox-levels.ts'
import { candidates } from './sandbox-levels.ts'

/** `auto`: the strongest sandbox that works, or else a plain process. `require-sandbox`: a sandbox, or an error. */
export type IsolationSetting = 'auto' | 'require-sandbox' | 'process'

export type Isolation = Candidate & {
  reach: Reach
}

export type Reach = { files: boolean; jobs: boolean; network: boolean; processes: boolean }

export type IsolationOptions = {
  setting: IsolationSetting
  scratch: Scratch
  entries: string[]
  log: Logger
  candidates?: Candidate[]
}

export class IsolationError extends OperatorError {
  override name = 'IsolationError'
}

export function startEngine(sandbox: Candidate, scratch: Scratch, engine: EngineStart, isBare = false): EngineProcess {
  const folder = scratch.engineFolder()
  const setting = { ...engine, folder: folder.path, mountPoint: scratch.mountPoint }
  try {
    if (sandbox.user !== undefined) chownSync(folder.path, sandbox.user.uid, sandbox.user.gid)
    return new EngineProcess(sandbox.command(setting, isBare), folder)
  } catch (error) {
    rmdirSync(folder.path)
    throw error
  }
}

type EngineStart = { entry: string; memoryBytes: number; cpuMs: number; fileBytes: number }

/** Returns the strongest candidate in which all engines start. From a sandbox, the test program must reach nothing. */
export async function chooseIsolation({
  setting,
  scratch,
  entries,
  log,
  candidates: tried = candidates(),
}: IsolationOptions): Promise<Isolation> {
  const rejected: string[] = []
  for (const candidate of tried) {
    if (setting === 'process' && candidate.tier !== 'process') continue
    // security check: a service without the sandbox that it requires
    if (setting === 'require-sandbox' && candidate.tier === 'process') continue
    try {
      const reach = await unlessKilled(() => trySandbox(candidate, scratch, entries))
      const level = candidate.tier === 'process' ? 'warn' : 'info'
      log[level]({ isolation: candidate.tier, reach, rejected }, `engines run inside ${candidate.description}`)
      return { ...candidate, reach }
    } catch (error) {
      rejected.push(`${candidate.tier}: ${reasonOf(error)}`)
    }
  }
  throw new IsolationError(rejection(setting, rejected))
}

async function trySandbox(candidate: Candidate, scratch: Scratch, entries: readonly string[]): Promise<Reach> {
  const reach = await probeSandbox(candidate, scratch)
  const got = Object.entries(reach).flatMap(([action, reached]) => (reached ? [action] : []))
  // security check: a sandbox that the probe escapes
  if (candidate.tier !== 'process' && got.length > 0) throw new Error(`a test program reached ${got.join(', ')}`)
  // security check: a sandbox in which no engine starts
  await Promise.all(entries.map((entry) => startOnce(candidate, scratch, entry)))
  return reach
}

const MAX_TRIES = 3

/** Repeats a test whose process was killed from outside, for example because memory ran out. */
async function unlessKilled<Result>(trial: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await trial()
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof EngineLost && error.wasKilled)) throw error
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof EngineLost)) return error instanceof Error ? error.message : String(error)
  const lines = error.stderr.split('\n').filter((line) => line.trim() !== '')
  return lines.find((line) => /error/i.test(line)) ?? lines[0] ?? error.message
}

function rejection(setting: IsolationSetting, rejected: string[]): string {
  const reasons = rejected.length === 0 ? 'bwrap, unshare, and perl are missing' : rejected.join('; ')
  return setting === 'require-sandbox'
    ? `ISOLATION=require-sandbox, but this host allows no sandbox (${reasons}). Run it on Linux 5.13 or newer with Landlock and Perl, or install bubblewrap and allow user namespaces.`
    : `No engine process can be started (${reasons}).`
}

const PROBE = { memoryBytes: 1024 ** 3, cpuMs: 60_000, fileBytes: 1024 ** 2 }
const SANDBOX_PROBE = { ...PROBE, entry: join(import.meta.dirname, 'sandbox-probe.ts') }

async function probeSandbox(sandbox: Candidate, scratch: Scratch): Promise<Reach> {
  await using own = scratch.jobFolder()
  await using target = await startProbeTarget()
  await using other = startEngine(sandbox, scratch, SANDBOX_PROBE, true)
  await using probe = startEngine(sandbox, scratch, SANDBOX_PROBE, true)
  await using server = await listen()
  const theirs = await putFile(other, 'theirs', sandbox)
  const secret = join(own.path, 'secret')
  await writeFile(secret, 'ours', { mode: 0o600 })
  const path = await putFile(probe, 'source', sandbox)

  await probe.ready
  const response = await probe.sendJob(
    {
      task: 'sandbox probe',
      input: { path, format: 'PNG', size: 4 },
      assets: [],
      parameters: { secret, other: theirs, port: server.port, target: target.pid, word: target.word },
      scratch: probe.folder.path,
      limits: { maxFramePixels: 0, maxSourcePixels: 0, maxResultBytes: 0 },
    },
    {
      progress() {},
      grant: () => Promise.reject(new Error('the test program of the sandbox sent a request to the worker')),
    },
  )
  if (response.type === 'failed') throw new Error(response.error.message)
  if (response.data['folder'] !== true) throw new Error('an engine cannot use its own folder')
  const reached = (action: string) => response.data[action] !== false
  // security check: a sandbox without its seccomp filter
  if (sandbox.isFiltered && (reached('calls') || !(await isFiltered(probe))))
    throw new Error('no seccomp filter is active')
  return {
    files: reached('files'),
    jobs: reached('jobs'),
    network: reached('network'),
    processes: (await target.wasSignalled()) || reached('processes'),
  }
}

/** Returns whether the engine has a seccomp filter. The engine is the last process of its process tree. */
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

async function startOnce(sandbox: Candidate, scratch: Scratch, entry: string): Promise<void> {
  await using engine = startEngine(sandbox, scratch, { ...PROBE, entry })
  await engine.ready
}

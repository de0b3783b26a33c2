import type { ChildProcess, IOType } from 'node:child_process'
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Duplex, Readable } from 'node:stream'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { AnyJob, EngineCall, EngineGrant, EngineReply } from '@mediamill/engines/protocol/messages'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { preferForOutOfMemory } from './engine-priority.ts'
import { parseReply } from './engine-reply.ts'
import type { ProcessTree } from './engine-tree.ts'
import { isRunning, readTree } from './engine-tree.ts'
import { inheritableDescriptors } from './inheritable-descriptors.ts'
import type { EngineCommand } from './isolation/command.ts'
import { FILTER_FD } from './isolation/command.ts'
import type { ScratchFolder } from './scratch.ts'

const MAX_LINE_CHARACTERS = 1024 * 1024
const MAX_JOB_CHARACTERS = 4 * 1024 * 1024
const MAX_STDERR_CHARACTERS = 8 * 1024
const START_DEADLINE_MS = 30_000
const KILL_DEADLINE_MS = 1_000
const STDERR_TIMEOUT_MS = 100

/** The exit code of a sandbox program if SIGKILL ended its child. */
const KILLED_INSIDE = 128 + 9

export class EngineLost extends Error {
  override name = 'EngineLost'
  stderr = ''
  /** Whether SIGKILL ended the process, for example if memory ran out. A crash has another signal or exit code. */
  wasKilled = false
}

type JobReply = Extract<EngineReply, { type: 'done' | 'failed' }>
export type EngineListener = {
  progress: (percent: number) => void
  grant: (call: EngineCall) => Promise<void>
}

type Pending = EngineListener & {
  resolve: (response: JobReply) => void
  reject: (error: unknown) => void
  hasOpenCall: boolean
}

/**
 * A running engine with its message channel. The channel is a pipe with Node's protocol for child processes
 * (`NODE_CHANNEL_FD`, JSON lines). `child_process` itself does not read the pipe: a malicious file may control the
 * engine's output, and `child_process` accepts lines of any length and control messages.
 */
export class EngineProcess implements AsyncDisposable {
  readonly folder: ScratchFolder
  readonly ready: Promise<void>
  readonly gone: Promise<void>
  readonly lost: Promise<EngineLost>
  jobs = 0
  uncheckedMs = 0
  diskCheckedAt = performance.now()
  readonly usage = { cpuMs: 0, memoryBytes: 0, peakBytes: 0 }

  readonly #child: ChildProcess
  readonly #channel: Duplex
  readonly #becomeReady = Promise.withResolvers<void>()
  readonly #becomeLost = Promise.withResolvers<EngineLost>()
  readonly #end = Promise.withResolvers<void>()
  #isReady = false
  #lost: EngineLost | undefined
  #killing: Promise<void> | undefined
  #pending: Pending | undefined
  #line = ''
  #received = 0
  #stderr = ''

  constructor(command: EngineCommand, folder: ScratchFolder) {
    this.folder = folder
    this.ready = this.#becomeReady.promise
    this.ready.catch(() => {})
    this.gone = this.#end.promise
    this.lost = this.#becomeLost.promise
    this.#child = start(command, folder)
    sendFilter(this.#child.stdio[FILTER_FD], command.filter)
    this.#channel = this.#child.stdio[3] as Duplex
    this.#channel.on('data', (chunk: string) => this.#receive(chunk)).setEncoding('utf8')
    this.#channel.on('error', () => {})
    // The channel closes shortly before the process exits. The exit explains the cause better.
    this.#channel.on('close', () => void this.#loseAfter(this.lost, new EngineLost('the channel closed')))
    const stderr = this.#child.stderr as Readable
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr = (this.#stderr + chunk).slice(-MAX_STDERR_CHARACTERS)
      this.#count(chunk)
    })
    this.#child.on('error', (error) => {
      this.#lose(new EngineLost(`the process could not be started: ${error.message}`))
      if (this.#child.pid === undefined) this.#end.resolve()
    })
    this.#child.on('exit', (code, signal) => {
      this.#end.resolve()
      const error = new EngineLost(`the process ended with ${signal ?? `code ${code}`}`)
      error.wasKilled = signal === 'SIGKILL' || code === KILLED_INSIDE
      void this.#loseAfter(finished(stderr), error)
    })
    const late = setTimeout(() => this.#lose(new EngineLost('not ready in time')), START_DEADLINE_MS)
    void this.ready.catch(() => {}).finally(() => clearTimeout(late))
    preferForOutOfMemory(this.#child.pid)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get isLost(): boolean {
    return this.#lost !== undefined || this.#channel.destroyed
  }

  async readTree(): Promise<ProcessTree> {
    const { pid, exitCode, signalCode } = this.#child
    const hasEnded = pid === undefined || exitCode !== null || signalCode !== null
    const tree = hasEnded ? { pids: [], residentBytes: 0, cpuMs: 0, threads: 0 } : await readTree(pid)
    // The CPU time of a process that has ended reads as 0.
    this.usage.cpuMs = Math.max(this.usage.cpuMs, tree.cpuMs)
    this.usage.memoryBytes = tree.residentBytes
    this.usage.peakBytes = Math.max(this.usage.peakBytes, tree.residentBytes)
    return tree
  }

  async sendJob(job: AnyJob, { progress, grant }: EngineListener): Promise<JobReply> {
    if (this.isLost) throw this.#lost ?? new EngineLost('the channel closed')
    const { promise, resolve, reject } = Promise.withResolvers<JobReply>()
    this.#pending = { resolve, reject, progress, grant, hasOpenCall: false }
    this.#received = 0
    this.jobs += 1
    this.#channel.write(`${JSON.stringify(job)}\n`)
    return promise
  }

  kill(): Promise<void> {
    this.#killing ??= this.#kill()
    return this.#killing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.folder[Symbol.asyncDispose]()
  }

  async #kill(): Promise<void> {
    const { pid } = this.#child
    if (pid === undefined) return
    // A process that left the group is only found while its parents run, so read the tree before the signal.
    const { pids } = await this.readTree().catch(() => ({ pids: [pid] }))
    // security check: processes that an engine left in its group
    signalAll([-pid, ...pids])
    this.#lose(new EngineLost('killed'))
    await this.gone
    const end = performance.now() + KILL_DEADLINE_MS
    while (isRunning(pid, pids) && performance.now() < end) await delay(2)
    this.#channel.destroy()
    this.#child.stderr?.destroy()
  }

  #receive(chunk: string): void {
    if (this.isLost) return
    this.#line += chunk
    for (let end = this.#line.indexOf('\n'); end !== -1 && !this.isLost; end = this.#line.indexOf('\n')) {
      const line = this.#line.slice(0, end)
      this.#line = this.#line.slice(end + 1)
      this.#accept(line)
    }
    // security check: an endless line
    if (this.#line.length > MAX_LINE_CHARACTERS) this.#reject('the engine sent too long a line')
    this.#count(chunk)
  }

  #count(chunk: string): void {
    this.#received += chunk.length
    // security check: output without end
    if (this.#received > MAX_JOB_CHARACTERS) this.#reject('the engine sent too much output')
  }

  #accept(line: string): void {
    const reply = parseReply(line)
    // security check: a malformed reply
    if (reply === undefined) return this.#reject('the engine sent a malformed reply')
    if (reply.type === 'ready') {
      if (this.#isReady) return this.#reject('the engine reported twice that it is ready')
      this.#isReady = true
      return this.#becomeReady.resolve()
    }
    const pending = this.#pending
    // security check: a reply to no job
    if (pending === undefined) return this.#reject('the engine sent a reply, but had no job')
    if (reply.type === 'progress') return pending.progress(reply.percent)
    if (reply.type === 'read' || reply.type === 'reserve' || reply.type === 'estimate')
      return this.#grant(reply, pending)
    this.#pending = undefined
    pending.resolve(reply)
  }

  #grant(call: EngineCall, pending: Pending): void {
    // security check: two calls of an engine at once
    if (pending.hasOpenCall) return this.#reject('the engine sent a second call before the reply to the first')
    pending.hasOpenCall = true
    pending.grant(call).then(
      () => {
        pending.hasOpenCall = false
        if (this.#pending !== pending || this.isLost) return
        this.#channel.write(`${JSON.stringify({ type: 'granted' } satisfies EngineGrant)}\n`)
      },
      (error: unknown) => pending.reject(error),
    )
  }

  #reject(reason: string): void {
    this.#lose(new EngineLost(reason))
    this.#channel.destroy()
    void this.kill()
  }

  /**
   * Loses the engine after `event`, which may explain the loss. The wait is short: child processes can delay `event`.
   */
  async #loseAfter(event: Promise<unknown>, error: EngineLost): Promise<void> {
    await withTimeout(event, STDERR_TIMEOUT_MS, () => undefined).catch(() => {})
    this.#lose(error)
  }

  #lose(error: EngineLost): void {
    if (this.#lost !== undefined) return
    error.stderr = this.#stderr
    this.#lost = error
    this.#line = ''
    this.#becomeLost.resolve(error)
    this.#becomeReady.reject(error)
    this.#pending?.reject(error)
    this.#pending = undefined
  }
}

/** Starts the engine. Replaces descriptors that the worker inherited, for example from a shell, with `/dev/null`. */
function start({ file, args, environment, filter }: EngineCommand, folder: ScratchFolder): ChildProcess {
  const stdio: (IOType | number)[] = [
    'ignore',
    'ignore',
    'pipe',
    'pipe',
    ...(filter === undefined ? [] : ['pipe' as const]),
  ]
  const nothing = openSync('/dev/null', 'r+')
  try {
    // security check: descriptors that the shell left open
    for (const descriptor of inheritableDescriptors()) {
      if (descriptor < stdio.length) continue
      // Node.js leaves an ignored descriptor above 2 as it is.
      stdio.push(...Array<'ignore'>(descriptor - stdio.length).fill('ignore'), nothing)
    }
    return spawn(file, args, {
      cwd: folder.path,
      // security check: environment variables of the service
      env: { ...environment, NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'json' },
      stdio,
      detached: true,
    })
  } finally {
    closeSync(nothing)
  }
}

/** Sends the seccomp filter. Ignores write errors, because the exit code of the installing program reports them. */
function sendFilter(pipe: Readable | Writable | null | undefined, filter: Buffer | undefined): void {
  if (filter === undefined || !(pipe instanceof Writable)) return
  pipe.on('error', () => {})
  pipe.end(filter)
}

function signalAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
}

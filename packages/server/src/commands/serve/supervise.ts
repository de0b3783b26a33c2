import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { RoleMessage } from '../../app/role-message.ts'
import type { Logger } from '../../telemetry/log.ts'

const MAIN = fileURLToPath(new URL('../../main.ts', import.meta.url))

/** V8 options for less memory and fewer garbage collections (lab/notes/memory-of-idle-processes.md). */
export const HEAP = {
  api: ['--max-semi-space-size=8'],
  worker: ['--initial-old-space-size=256', '--max-semi-space-size=4'],
}

/** The pause before a role that ended is restarted. It doubles up to `LAST_RETRY_MS` (operator.stop.2). */
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 4_000
const SETTLED_MS = 30_000

/** How much longer than DRAIN_TIMEOUT a role may take to stop, before it is killed (operator.stop.1). */
const STOP_MARGIN_MS = 5_000

/** A role in a child process. If a role that was ready ends, it is restarted. If its channel closes, a role ends. */
export class SupervisedRole {
  readonly #name: 'api' | 'worker'
  readonly #env: NodeJS.ProcessEnv
  readonly #drainTimeoutMs: number
  readonly #log: Logger
  readonly #ready = Promise.withResolvers<{ address: string | undefined }>()
  readonly #stopped = new AbortController()
  readonly #running: Promise<void>
  #child: ChildProcess | undefined
  #wasReady = false

  constructor(name: 'api' | 'worker', env: NodeJS.ProcessEnv, drainTimeoutMs: number, log: Logger) {
    this.#name = name
    this.#env = env
    this.#drainTimeoutMs = drainTimeoutMs
    this.#log = log
    this.#running = this.#keepRunning()
    this.#running.catch((error: unknown) => this.#ready.reject(error))
  }

  get ready(): Promise<{ address: string | undefined }> {
    return this.#ready.promise
  }

  readonly stop = async (): Promise<void> => {
    this.#stopped.abort()
    this.#child?.kill('SIGTERM')
    const timer = setTimeout(this.kill, this.#drainTimeoutMs + STOP_MARGIN_MS)
    await this.#running.finally(() => clearTimeout(timer))
  }

  readonly kill = (): void => void this.#child?.kill('SIGKILL')

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopped
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      const startedAt = performance.now()
      const problem = await this.#runOnce()
      if (signal.aborted) return
      if (!this.#wasReady) {
        this.#ready.reject(new OperatorError(problem))
        return
      }
      if (performance.now() - startedAt > SETTLED_MS) retryMs = FIRST_RETRY_MS
      this.#log.error({ child: this.#name, retry_ms: retryMs }, `${problem}; restarting it`)
      await delay(retryMs, undefined, { signal }).catch(() => undefined)
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }
  }

  async #runOnce(): Promise<string> {
    // The role is detached, so that Ctrl-C reaches only this process, and the role can finish its work.
    const child = spawn(process.execPath, [...HEAP[this.#name], MAIN, this.#name], {
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child = child
    let problem: string | undefined
    child.on('message', (message: RoleMessage) => {
      if (message.type === 'failed') problem = message.message
      else this.#becomeReady(message.address)
    })
    try {
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
      return problem ?? `The ${this.#name} process ended with ${signal ?? `code ${code}`}`
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return `The ${this.#name} process could not be started (${reason})`
    }
  }

  #becomeReady(address: string | undefined): void {
    this.#wasReady = true
    this.#ready.resolve({ address })
  }
}

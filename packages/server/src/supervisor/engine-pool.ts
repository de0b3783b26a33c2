import type { JobSeries } from './engine-affinity.ts'
import { EngineAffinity } from './engine-affinity.ts'
import type { EngineLost, EngineProcess } from './engine-process.ts'

type EnginePoolOptions = {
  concurrency: number
  jobsPerProcess: number
  /** Whether to start a process before the first job, and whenever a process that ran jobs has ended. */
  startsAhead: boolean
  /** How long a process can be idle before it is stopped to free its memory. Default: no limit. */
  idleMs?: number | undefined
  /** How long a process that reached its job limit waits for another job of the same series. Default: 5 s. */
  seriesMs?: number | undefined
  /** How many processes that have run no job stay alive while idle. */
  keep: number
  start(): EngineProcess
  /** Ends a process and deletes its files. Never rejects. `isIdle`: the process ends because no job needed it. */
  stop(engine: EngineProcess, isIdle: boolean): Promise<void>
  onIdleLost(engine: EngineProcess, error: EngineLost): void
}

type Waiter = { resolve: (engine: EngineProcess) => void; reject: (reason: unknown) => void }

// How long a process waits for the next job of a series. Storing a video segment and claiming the next takes less.
const SERIES_MS = 5_000
const JOBS_PER_SERIES = 100

export class EnginePool implements AsyncDisposable {
  readonly #options: EnginePoolOptions
  /**
   * All processes that have not ended. If a process is being stopped, its value resolves when the process has ended.
   */
  readonly #live = new Map<EngineProcess, Promise<void> | undefined>()
  readonly #idle: EngineProcess[] = []
  readonly #leaving = new Map<EngineProcess, NodeJS.Timeout>()
  readonly #waiting = new Set<Waiter>()
  readonly #held: EngineAffinity
  #isClosed = false

  constructor(options: EnginePoolOptions) {
    this.#options = options
    this.#held = new EngineAffinity(options.seriesMs ?? SERIES_MS, (engine) => void this.#retire(engine))
    if (options.startsAhead) this.#startAhead()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Waits for a process. Until the caller calls `give`, only the caller may use the process. Rejects with the reason of
   * the signal.
   */
  async take(signal: AbortSignal, series?: JobSeries): Promise<EngineProcess> {
    signal.throwIfAborted()
    if (this.#isClosed) throw closedError()
    const held = series && this.#held.take(series.id)
    if (held !== undefined) return held
    // Take the most recently used process, because its code is still in the CPU's caches.
    const idle = this.#idle.pop()
    if (idle !== undefined) {
      this.#stay(idle)
      return idle
    }
    if (this.#live.size < this.#options.concurrency) return this.#start()
    // All processes are in use. If one is only waiting for its series, replace that process.
    const other = this.#held.takeOldest()
    if (other !== undefined) void this.#retire(other)
    return this.#wait(signal)
  }

  /** Returns a process to the pool. If it is unhealthy or has reached its job limit, replaces it in the background. */
  give(engine: EngineProcess, isHealthy: boolean, series?: JobSeries): void {
    const isLeft = isHealthy && !this.#isClosed && !engine.isLost
    if (!isLeft || engine.jobs >= this.#options.jobsPerProcess) {
      const staysOn = isLeft && series?.hasMore === true && engine.jobs < JOBS_PER_SERIES && this.#waiting.size === 0
      if (staysOn) this.#held.keep(engine, series.id)
      else void this.#retire(engine)
      return
    }
    const next = this.#nextWaiter()
    if (next === undefined) this.#rest(engine)
    else next.resolve(engine)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (let next = this.#nextWaiter(); next !== undefined; next = this.#nextWaiter()) next.reject(closedError())
    this.#idle.length = 0
    for (const engine of this.#leaving.keys()) this.#stay(engine)
    for (const engine of this.#live.keys()) this.#held.forget(engine)
    await Promise.all([...this.#live.keys()].map((engine) => this.#retire(engine)))
  }

  #start(): EngineProcess {
    const engine = this.#options.start()
    this.#live.set(engine, undefined)
    // If an idle process ends, no job must get it. A process in use is returned with `give`, which checks this.
    void engine.lost.then((error) => {
      const index = this.#idle.indexOf(engine)
      if (index === -1 && !this.#held.forget(engine)) return
      if (index !== -1) this.#idle.splice(index, 1)
      this.#stay(engine)
      this.#options.onIdleLost(engine, error)
      void this.#retire(engine)
    })
    return engine
  }

  #startAhead(): void {
    try {
      this.#rest(this.#start())
    } catch {
      // Ignore the error. The next job starts a process itself, and reports the same error.
    }
  }

  #rest(engine: EngineProcess): void {
    this.#idle.push(engine)
    const { idleMs } = this.#options
    if (idleMs !== undefined) this.#leaving.set(engine, setTimeout(() => this.#leave(engine), idleMs).unref())
  }

  #stay(engine: EngineProcess): void {
    clearTimeout(this.#leaving.get(engine))
    this.#leaving.delete(engine)
  }

  #leave(engine: EngineProcess): void {
    const { keep } = this.#options
    this.#leaving.delete(engine)
    if (engine.jobs === 0 && this.#idle.filter(({ jobs }) => jobs === 0).length <= keep) return
    this.#idle.splice(this.#idle.indexOf(engine), 1)
    void this.#retire(engine, true)
  }

  #wait(signal: AbortSignal): Promise<EngineProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<EngineProcess>()
    const waiter: Waiter = { resolve, reject }
    this.#waiting.add(waiter)
    const leave = () => {
      this.#waiting.delete(waiter)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  #nextWaiter(): Waiter | undefined {
    const [next] = this.#waiting
    if (next !== undefined) this.#waiting.delete(next)
    return next
  }

  #retire(engine: EngineProcess, isIdle = false): Promise<void> {
    const begun = this.#live.get(engine)
    if (begun !== undefined) return begun
    const end = this.#options.stop(engine, isIdle).then(() => {
      this.#live.delete(engine)
      this.#replace(engine, isIdle)
    })
    this.#live.set(engine, end)
    return end
  }

  #replace(engine: EngineProcess, isIdle: boolean): void {
    if (this.#isClosed) return
    const next = this.#nextWaiter()
    if (next !== undefined) {
      try {
        next.resolve(this.#start())
      } catch (error) {
        next.reject(error)
      }
    } else if (this.#options.startsAhead && engine.jobs > 0 && !(isIdle && this.#idle.length >= this.#options.keep)) {
      // Do not replace a process that ended before its first job, because a new process might end immediately too.
      this.#startAhead()
    }
  }
}

const closedError = () => new Error('the engine host is closed')

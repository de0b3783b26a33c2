import type { JobSeries } from './engine-affinity.ts'
import { EngineAffinity } from './engine-affinity.ts'
import type { EngineLost, EngineProcess } from './engine-process.ts'

type EnginePoolOptions = {
  concurrency: number
  jobsPerProcess: number
  /** Whether to start a process before the first job, and whenever a process that ran jobs has ended. */
  startsAhead: boolean
  idleMs?: number | undefined
  seriesMs?: number | undefined
  keep: number
  start(): EngineProcess
  /** Stops a process, and never rejects. `isIdle`: the process ends because no job needed it. */
  stop(engine: EngineProcess, isIdle: boolean): Promise<void>
  onIdleLost(engine: EngineProcess, error: EngineLost): void
}

type Waiter = { resolve: (engine: EngineProcess) => void; reject: (reason: unknown) => void }

// Storing a video segment and claiming the next takes less time.
const SERIES_MS = 5_000
const JOBS_PER_SERIES = 100

export class EnginePool implements AsyncDisposable {
  readonly #options: EnginePoolOptions
  /** All processes that have not ended. The value of a process that is being stopped resolves when it has ended. */
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

  /** Lends a process until the caller calls `give`. Rejects with the reason of the signal. */
  async take(signal: AbortSignal, series?: JobSeries): Promise<EngineProcess> {
    signal.throwIfAborted()
    if (this.#isClosed) throw closedError()
    const held = series && this.#held.take(series.id)
    if (held !== undefined) return held
    // The code of the most recently used process is still in the CPU's caches.
    const idle = this.#idle.pop()
    if (idle !== undefined) {
      this.#stay(idle)
      return idle
    }
    if (this.#live.size < this.#options.concurrency) return this.#start()
    const other = this.#held.takeOldest()
    if (other !== undefined) void this.#retire(other)
    return this.#wait(signal)
  }

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
    // No job must get an idle process that has ended. For a process in use, `give` checks this.
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
      // The next job starts a process itself, and reports the same error.
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
      // A process that ended before its first job is not replaced, because a new process might end immediately too.
      this.#startAhead()
    }
  }
}

const closedError = () => new Error('the engine host is closed')

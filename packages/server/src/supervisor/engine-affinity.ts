import type { EngineProcess } from './engine-process.ts'

/** Consecutive jobs of one request. `hasMore`: the request will probably have another job soon. */
export type JobSeries = { id: number; hasMore: boolean }

type EngineLease = { series: number; engine: EngineProcess; leaving: NodeJS.Timeout }

export class EngineAffinity {
  readonly #held: EngineLease[] = []
  readonly #holdMs: number
  readonly #onLeave: (engine: EngineProcess) => void

  constructor(holdMs: number, onLeave: (engine: EngineProcess) => void) {
    this.#holdMs = holdMs
    this.#onLeave = onLeave
  }

  keep(engine: EngineProcess, series: number): void {
    const leave = () => {
      this.#remove((held) => held.engine === engine)
      this.#onLeave(engine)
    }
    this.#held.push({ series, engine, leaving: setTimeout(leave, this.#holdMs).unref() })
  }

  take(series: number): EngineProcess | undefined {
    // security check: an engine that has run another request
    return this.#remove((held) => held.series === series)
  }

  takeOldest(): EngineProcess | undefined {
    return this.#remove(() => true)
  }

  forget(engine: EngineProcess): boolean {
    return this.#remove((held) => held.engine === engine) !== undefined
  }

  #remove(isIt: (held: EngineLease) => boolean): EngineProcess | undefined {
    const index = this.#held.findIndex(isIt)
    if (index === -1) return undefined
    const [held] = this.#held.splice(index, 1)
    clearTimeout(held?.leaving)
    return held?.engine
  }
}

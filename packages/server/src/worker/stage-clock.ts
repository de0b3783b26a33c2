import type { StageTimes } from '@mediamill/contract/domain/request'

type Stage = 'download' | 'process' | 'store'

export class StageClock {
  readonly #now: () => number
  readonly #times: Record<Stage, number> = { download: 0, process: 0, store: 0 }
  #stage: Stage = 'download'
  #since: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#since = now()
  }

  enter(stage: Stage): void {
    const now = this.#now()
    this.#times[this.#stage] += now - this.#since
    this.#stage = stage
    this.#since = now
  }

  read(): StageTimes {
    this.enter(this.#stage)
    const { download, process, store } = this.#times
    return { downloadMs: Math.round(download), processMs: Math.round(process), storeMs: Math.round(store) }
  }
}

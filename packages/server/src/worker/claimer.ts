import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Lane } from '@mediamill/contract/domain/request'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import type { Claim } from '../requests/claim.ts'
import { claimSeveral, requeueUnknown } from '../requests/claim.ts'
import type { JobSlots } from './job-slots.ts'
import { claimSize } from './job-slots.ts'

export type LaneOptions = {
  lane: Lane
  /** Requests of the lane that this worker holds at once: those that download, wait, are processed and stored. */
  places: number
  /** Whether one more could start soon: while engines are behind, requests are left for other workers. */
  hasRoom: () => boolean
}

export type ClaimerOptions = {
  sql: Sql
  workerId: string
  lanes: readonly LaneOptions[]
  slots: JobSlots
  /** Starts a claimed request. */
  start: (claim: Claim) => void
  log: Logger
}

/** Requests left to other versions that a worker remembers; one that it forgot is claimed and left once more. */
const MOST_LEFT = 1_000

/** Claims requests, one lane after the other, while there is room for them. */
export class Claimer {
  readonly #options: ClaimerOptions
  /** Lanes to look into. */
  readonly #due = new Set<Lane>()
  /** Lanes in which requests may wait for want of room here. */
  readonly #behind = new Set<Lane>()
  /** Requests that this version cannot do. */
  readonly #left = new Set<RequestId>()
  /** How many waited in each lane when it was last claimed from. */
  readonly #waiting = new Map<Lane, number>()
  #claiming: Promise<void> | undefined
  /** Whether to look for requests whose claim was never answered. */
  #mustCheck = false
  #isStopped = false

  constructor(options: ClaimerOptions) {
    this.#options = options
  }

  /** Claims what there is room for. Notices that come meanwhile make it look once more. */
  async look(wanted: Iterable<Lane>): Promise<void> {
    const lanes = this.#options.lanes.map(({ lane }) => lane)
    for (const lane of wanted) if (lanes.includes(lane)) this.#due.add(lane)
    await this.#run()
  }

  /** Looks into the lanes that were left for want of room. */
  async lookBehind(): Promise<void> {
    // With room to spare there was nothing left to claim; a notice says when there is.
    if (this.#behind.size > 0) await this.look(this.#behind)
  }

  /** Requeues requests whose claim was never answered, and claims them once more. */
  async checkUnanswered(): Promise<void> {
    this.#mustCheck = true
    await this.#run()
  }

  /** Notes that a request waits in a lane again. */
  markBehind(lane: Lane): void {
    this.#behind.add(lane)
  }

  /** Leaves a request to workers of other versions from now on. */
  leave(id: RequestId): void {
    this.#left.add(id)
    const [oldest] = this.#left
    if (this.#left.size > MOST_LEFT && oldest !== undefined) this.#left.delete(oldest)
  }

  /** Claims no more. A claim under way is finished: its request is this worker's. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#claiming
  }

  async #run(): Promise<void> {
    // A run with nothing to do would end before it is noted in `#claiming`, which would then never be cleared.
    if ((this.#due.size === 0 && !this.#mustCheck) || this.#isStopped) return
    this.#claiming ??= this.#claimAll()
    await this.#claiming
  }

  async #claimAll(): Promise<void> {
    try {
      while ((this.#due.size > 0 || this.#mustCheck) && !this.#isStopped) {
        // Jobs that end together leave their places together.
        await nextTurn()
        if (this.#mustCheck) await this.#check()
        const now = this.#options.lanes.filter(({ lane }) => this.#due.has(lane))
        this.#due.clear()
        // Of each in turn: a lane that fills as fast as it is emptied keeps no other waiting.
        for (const lane of now) await this.#claimSome(lane)
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'claiming failed; trying again')
    } finally {
      // In the same breath as the last look at `#due`: a notice in between would wait for the next poll.
      this.#claiming = undefined
    }
  }

  /** No claim is under way here, so a request that the worker holds and does not know of was never answered. */
  async #check(): Promise<void> {
    this.#mustCheck = false
    const { sql, workerId, slots, lanes, log } = this.#options
    const freed = await requeueUnknown(sql, workerId, slots.ids)
    for (const id of freed) log.warn({ request_id: id }, 'a claim was not answered; the request is claimed once more')
    if (freed.length > 0) for (const { lane } of lanes) this.#due.add(lane)
  }

  /** Claims what there is room for, as much as one statement may take. The lane stays due while more are waiting. */
  async #claimSome({ lane, places, hasRoom }: LaneOptions): Promise<void> {
    const { sql, workerId, slots, start } = this.#options
    const room = slots.room(lane, places)
    const isFull = room.most === 0 || !hasRoom()
    if (isFull || room.fullAccounts.length > 0) this.#behind.add(lane)
    else this.#behind.delete(lane)
    if (isFull || this.#isStopped) return
    const asking = { ...claimSize(room, this.#waiting.get(lane) ?? 0), exceptAccounts: room.fullAccounts }
    const { claims, waiting } = await claimSeveral(sql, workerId, { lane, ...asking, exceptRequests: [...this.#left] })
    this.#waiting.set(lane, waiting)
    for (const claimed of claims) start(claimed)
    if (waiting > 0) this.#due.add(lane)
  }
}

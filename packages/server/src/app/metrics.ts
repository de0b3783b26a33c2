import type { Outcome } from '@mediamill/contract/domain/request'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Claim } from '../requests/claim.ts'
import type { RecycleReason } from '../supervisor/engine-host.ts'
import type { DeliveryCounts } from '../webhooks/counts.ts'
import type { PartEnded } from '../worker/parts/loop.ts'
import type { DestinationTry } from '../worker/put-result.ts'
import type { StampEnded } from '../worker/stamps/loop.ts'

/** The figures of one process: each metric has its row in docs/operate.md. */
export function openRegistry(): Registry {
  const registry = new Registry()
  // Node's monitor of the event loop wakes the process so often: at its own 10 ms an idle service cost 7 ms a second, and
  // at 200 ms each process still 0.6 ms.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 500 })
  return registry
}

/** From a read of a picture's header to a video of hours. */
const RUN_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400]

const PICK_UP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800]

/** Measures the requests and engines of a worker. */
export class WorkMetrics {
  readonly #pickUp: Histogram<'lane'>
  readonly #runs: Histogram<'endpoint'>
  readonly #running: Gauge<'lane'>
  readonly #attempts: Counter<'endpoint' | 'attempt'>
  readonly #ended: Counter<'endpoint' | 'status' | 'code'>
  readonly #recycles: Counter<'engine' | 'reason'>
  readonly #destinationTries: Counter<'outcome'>
  readonly #stamps: Counter<'outcome'>
  readonly #parts: Counter<'outcome'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.#pickUp = new Histogram({ ...PICK_UP, registers })
    this.#runs = new Histogram({ ...RUNS, registers })
    this.#running = new Gauge({ ...RUNNING, registers })
    this.#attempts = new Counter({ ...ATTEMPTS, registers })
    this.#ended = new Counter({ ...ENDED, registers })
    this.#recycles = new Counter({ ...RECYCLES, registers })
    this.#destinationTries = new Counter({ ...DESTINATION_TRIES, registers })
    this.#stamps = new Counter({ ...STAMPS, registers })
    this.#parts = new Counter({ ...PARTS, registers })
  }

  /**
   * Notes that a request was claimed. `end` is called when this worker is done with it, however that went, with the
   * outcome that became its end, if any did.
   */
  claimed({ request, held, lane }: Claim): { end: (outcome: Outcome | undefined) => void } {
    const { endpoint } = request
    if (held.attempt === 1 && request.status === 'processing') {
      // Both times are the database's: no two machines' clocks are compared.
      this.#pickUp.observe({ lane }, (request.startedAt.getTime() - request.createdAt.getTime()) / 1000)
    }
    this.#attempts.inc({ endpoint, attempt: held.attempt })
    this.#running.inc({ lane })
    const stop = this.#runs.startTimer({ endpoint })
    return {
      end: (outcome) => {
        if (outcome !== undefined) {
          const code = outcome.status === 'failed' ? outcome.error.code : ''
          this.#ended.inc({ endpoint, status: outcome.status, code })
        }
        stop()
        this.#running.dec({ lane })
      },
    }
  }

  /** Notes that an engine process was replaced. */
  readonly recycled = (engine: string, reason: RecycleReason): void => this.#recycles.inc({ engine, reason })

  /** Notes a try to put a result to its client's bucket. */
  readonly destinationTried = (outcome: DestinationTry): void => this.#destinationTries.inc({ outcome })

  /** Notes what a stamp came to. */
  readonly stampEnded = (outcome: StampEnded): void => this.#stamps.inc({ outcome })

  /** Notes what an attempt at a part of a long video came to. */
  readonly partEnded = (outcome: PartEnded): void => this.#parts.inc({ outcome })
}

const PICK_UP = {
  name: 'mediamill_pickup_seconds',
  help: 'Time from the acceptance of a request to its first claim by a worker.',
  labelNames: ['lane'] as const,
  buckets: PICK_UP_BUCKETS,
}
const RUNS = {
  name: 'mediamill_run_seconds',
  help: 'Time from the claim of a request to the end of this attempt: source, engine, store, settlement.',
  labelNames: ['endpoint'] as const,
  buckets: RUN_BUCKETS,
}
const RUNNING = {
  name: 'mediamill_running_requests',
  help: 'Requests that this process works on now.',
  labelNames: ['lane'] as const,
}
const ATTEMPTS = {
  name: 'mediamill_attempts_total',
  help: 'Claims by this process, by the number of the attempt: above 1 an earlier worker was lost.',
  labelNames: ['endpoint', 'attempt'] as const,
}
const ENDED = {
  name: 'mediamill_requests_ended_total',
  help: 'Requests that this process brought to their end, and the code of those that failed.',
  labelNames: ['endpoint', 'status', 'code'] as const,
}
const DESTINATION_TRIES = {
  name: 'mediamill_destination_tries_total',
  help: 'Tries to put a result to the destination that its call named, by how they went.',
  labelNames: ['outcome'] as const,
}
const STAMPS = {
  name: 'mediamill_stamps_total',
  help: 'Stamps that this process had in work, by what they came to.',
  labelNames: ['outcome'] as const,
}
const PARTS = {
  name: 'mediamill_video_part_attempts_total',
  help: 'Attempts of this process at parts of long videos, by what they came to.',
  labelNames: ['outcome'] as const,
}
const RECYCLES = {
  name: 'mediamill_engine_recycles_total',
  help: 'Engine processes that were replaced: spent after their jobs, grown, or lost.',
  labelNames: ['engine', 'reason'] as const,
}

/** Adds what became of this process's deliveries. */
export function showDeliveries(registry: Registry, counts: Readonly<DeliveryCounts>): void {
  const outcomes = ['delivered', 'retried', 'undelivered', 'repeated'] as const
  new Counter({
    name: 'mediamill_delivery_attempts_total',
    help: 'Attempts to deliver an event that ended, by what followed.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const outcome of outcomes) this.inc({ outcome }, counts[outcome])
    },
  })
  new Gauge({
    name: 'mediamill_deliveries_in_flight',
    help: 'Deliveries that this process has on their way now.',
    registers: [registry],
    collect() {
      this.set(counts.inFlight)
    },
  })
}

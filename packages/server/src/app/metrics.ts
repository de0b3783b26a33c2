import type { Lane, Outcome } from '@mediamill/contract/domain/request'
import { LANES } from '@mediamill/contract/domain/request'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Claim } from '../requests/claim.ts'
import type { EngineHost, RecycleReason } from '../supervisor/engine-host.ts'
import type { DeliveryCounts } from '../webhooks/delivery-loop.ts'
import type { DestinationAttempt } from '../worker/put-result.ts'
import type { SegmentAttemptOutcome } from '../worker/segments/segment-loop.ts'
import type { TextWatermarkOutcome } from '../worker/stamps/text-watermark-loop.ts'
import { showBuild } from './process-metrics.ts'

export function openRegistry(): Registry {
  const registry = new Registry()
  // A shorter interval would wake idle processes too often.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 500 })
  showBuild(registry)
  return registry
}

const RUN_BUCKETS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400]

const PICK_UP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 300, 1_800]

const ENGINES = ['image', 'document', 'video', 'video reader']

export type WorkMetrics = ReturnType<typeof openWorkMetrics>

export function openWorkMetrics(registry: Registry) {
  const registers = [registry]
  const pickUp = new Histogram({
    name: 'mediamill_pickup_seconds',
    help: 'From acceptance to the first claim by a worker.',
    labelNames: ['lane'],
    buckets: PICK_UP_BUCKETS,
    registers,
  })
  const runs = new Histogram({
    name: 'mediamill_run_seconds',
    help: 'From a claim to the end of the attempt.',
    labelNames: ['endpoint'],
    buckets: RUN_BUCKETS,
    registers,
  })
  const running = new Gauge({
    name: 'mediamill_running_requests',
    help: 'Requests that this process is working on.',
    labelNames: ['lane'],
    registers,
  })
  const attempts = new Counter({
    name: 'mediamill_attempts_total',
    help: 'Claims, by attempt number. Above 1: an earlier worker was lost.',
    labelNames: ['endpoint', 'attempt'],
    registers,
  })
  const ended = new Counter({
    name: 'mediamill_requests_ended_total',
    help: 'Requests that ended in this process; code is the error code of failures.',
    labelNames: ['endpoint', 'status', 'code'],
    registers,
  })
  const recycles = new Counter({
    name: 'mediamill_engine_recycles_total',
    help: 'Engine processes replaced: job_limit, memory, lost (crash), or idle.',
    labelNames: ['engine', 'reason'],
    registers,
  })
  const destinationAttempts = new Counter({
    name: 'mediamill_destination_attempts_total',
    help: 'Attempts to PUT a result to its destination: `stored`, `rejected` (not 2xx), `no_response`.',
    labelNames: ['outcome'],
    registers,
  })
  const stamps = new Counter({
    name: 'mediamill_stamps_total',
    help: 'Text watermarks: `drawn`, `rejected` (invalid text), `abandoned` (client disconnected), `error` (internal).',
    labelNames: ['outcome'],
    registers,
  })
  const segments = new Counter({
    name: 'mediamill_video_segment_attempts_total',
    help: 'Video segment attempts: `completed`, `rejected` (processed unsplit), `lost` (aborted or taken over), `error` (retried).',
    labelNames: ['outcome'],
    registers,
  })
  // The counters start at 0: Prometheus ignores the first value of a new series, so an alert would miss the first
  // increase.
  for (const { name: endpoint } of ENDPOINTS) attempts.inc({ endpoint, attempt: 2 }, 0)
  for (const engine of ENGINES) recycles.inc({ engine, reason: 'lost' }, 0)
  return {
    /** Measures a claimed request. Call `end` when this worker stops processing it, with the outcome, if any. */
    claimed({ request, lease, lane }: Claim): { end: (outcome: Outcome | undefined) => void } {
      const { endpoint } = request
      if (lease.attempt === 1 && request.status === 'processing') {
        // Both times are from the database, so the clocks of two machines are never compared.
        pickUp.observe({ lane }, (request.startedAt.getTime() - request.createdAt.getTime()) / 1000)
      }
      attempts.inc({ endpoint, attempt: lease.attempt })
      running.inc({ lane })
      const stop = runs.startTimer({ endpoint })
      return {
        end(outcome) {
          if (outcome !== undefined) {
            const code = outcome.status === 'failed' ? outcome.error.code : ''
            ended.inc({ endpoint, status: outcome.status, code })
          }
          stop()
          running.dec({ lane })
        },
      }
    },
    recycled: (engine: string, reason: RecycleReason) => recycles.inc({ engine, reason }),
    destinationAttempted: (outcome: DestinationAttempt) => destinationAttempts.inc({ outcome }),
    stampEnded: (outcome: TextWatermarkOutcome) => stamps.inc({ outcome }),
    segmentEnded: (outcome: SegmentAttemptOutcome) => segments.inc({ outcome }),
  }
}

export function showSlots(registry: Registry, slots: number, load: Readonly<Record<Lane, number>>): void {
  new Gauge({
    name: 'mediamill_slots',
    help: 'Engine slots of the worker in each lane (WORKER_CONCURRENCY).',
    labelNames: ['lane'] as const,
    registers: [registry],
    collect() {
      for (const lane of LANES) this.set({ lane }, slots)
    },
  })
  new Gauge({
    name: 'mediamill_slots_in_use',
    help: 'Engine slots in use. All in use for a long time means saturation.',
    labelNames: ['lane'] as const,
    registers: [registry],
    collect() {
      for (const lane of LANES) this.set({ lane }, Math.min(slots, load[lane]))
    },
  })
}

/** Exports the usage of the engine processes. All metrics of a scrape share one read of the processes. */
export function showEngines(registry: Registry, engines: Readonly<Record<Lane, Pick<EngineHost, 'usage'>>>): void {
  const readAll = () => Promise.all(LANES.map(async (lane) => ({ lane, ...(await engines[lane].usage()) })))
  let reading: ReturnType<typeof readAll> | undefined
  const read = () => {
    reading ??= readAll().finally(() => {
      reading = undefined
    })
    return reading
  }
  const labelNames = ['lane'] as const
  const registers = [registry]
  new Counter({
    name: 'mediamill_engine_cpu_seconds_total',
    help: 'CPU time of the engine processes.',
    labelNames,
    registers,
    async collect() {
      const usages = await read()
      this.reset()
      for (const { lane, cpuSeconds } of usages) this.inc({ lane }, cpuSeconds)
    },
  })
  new Gauge({
    name: 'mediamill_engine_memory_bytes',
    help: 'Memory of all engine processes now.',
    labelNames,
    registers,
    async collect() {
      for (const { lane, memoryBytes } of await read()) this.set({ lane }, memoryBytes)
    },
  })
  new Gauge({
    name: 'mediamill_engine_memory_peak_bytes',
    help: 'Most memory of one engine process since the worker started, measured every 100 ms.',
    labelNames,
    registers,
    async collect() {
      for (const { lane, peakBytes } of await read()) this.set({ lane }, peakBytes)
    },
  })
}

export function showDeliveries(registry: Registry, counts: Readonly<DeliveryCounts>): void {
  const outcomes = ['delivered', 'retried', 'undelivered', 'repeated'] as const
  new Counter({
    name: 'mediamill_delivery_attempts_total',
    help: 'Webhook attempts: delivered, retried, undelivered (last attempt failed), repeated (interrupted).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const outcome of outcomes) this.inc({ outcome }, counts[outcome])
    },
  })
  new Gauge({
    name: 'mediamill_deliveries_in_flight',
    help: 'Webhook calls in flight.',
    registers: [registry],
    collect() {
      this.set(counts.inFlight)
    },
  })
}

import type { Lane, Outcome } from '@mediamill/contract/domain/request'
import { LANES } from '@mediamill/contract/domain/request'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Claim } from '../requests/claim.ts'
import type { EngineHost, RecycleReason } from '../supervisor/engine-host.ts'
import { metricsOf } from '../telemetry/metrics.ts'
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
  const { counter, gauge, histogram } = metricsOf(registry)
  const pickUp = histogram(
    'pickup_seconds',
    'From acceptance to the first claim by a worker.',
    ['lane'],
    PICK_UP_BUCKETS,
  )
  const runs = histogram('run_seconds', 'From a claim to the end of the attempt.', ['endpoint'], RUN_BUCKETS)
  const running = gauge('running_requests', 'Requests that this process is working on.', ['lane'])
  const attempts = counter('attempts_total', 'Claims, by attempt number. Above 1: an earlier worker was lost.', [
    'endpoint',
    'attempt',
  ])
  const ended = counter(
    'requests_ended_total',
    'Requests that ended in this process; code is the error code of failures.',
    ['endpoint', 'status', 'code'],
  )
  const recycles = counter(
    'engine_recycles_total',
    'Engine processes replaced: job_limit, memory, lost (crash), or idle.',
    ['engine', 'reason'],
  )
  const destinationAttempts = counter(
    'destination_attempts_total',
    'Attempts to PUT a result to its destination: `stored`, `rejected` (not 2xx), `no_response`.',
    ['outcome'],
  )
  const stamps = counter(
    'stamps_total',
    'Text watermarks: `drawn`, `rejected` (invalid text), `abandoned` (client disconnected), `error` (internal).',
    ['outcome'],
  )
  const segments = counter(
    'video_segment_attempts_total',
    'Video segment attempts: `completed`, `rejected` (processed unsplit), `lost` (aborted or taken over), `error` (retried).',
    ['outcome'],
  )
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
  const { gauge } = metricsOf(registry)
  gauge('slots', 'Engine slots of the worker in each lane (WORKER_CONCURRENCY).', ['lane'], (metric) => {
    for (const lane of LANES) metric.set({ lane }, slots)
  })
  gauge('slots_in_use', 'Engine slots in use. All in use for a long time means saturation.', ['lane'], (metric) => {
    for (const lane of LANES) metric.set({ lane }, Math.min(slots, load[lane]))
  })
}

/** Exports the usage of the engine processes. All metrics of a scrape share one read of the processes. */
export function showEngines(registry: Registry, engines: Readonly<Record<Lane, Pick<EngineHost, 'usage'>>>): void {
  const { counter, gauge } = metricsOf(registry)
  const readAll = () => Promise.all(LANES.map(async (lane) => ({ lane, ...(await engines[lane].usage()) })))
  let reading: ReturnType<typeof readAll> | undefined
  const read = () => {
    reading ??= readAll().finally(() => {
      reading = undefined
    })
    return reading
  }
  counter('engine_cpu_seconds_total', 'CPU time of the engine processes.', ['lane'], async (metric) => {
    const usages = await read()
    metric.reset()
    for (const { lane, cpuSeconds } of usages) metric.inc({ lane }, cpuSeconds)
  })
  gauge('engine_memory_bytes', 'Memory of all engine processes now.', ['lane'], async (metric) => {
    for (const { lane, memoryBytes } of await read()) metric.set({ lane }, memoryBytes)
  })
  gauge(
    'engine_memory_peak_bytes',
    'Most memory of one engine process since the worker started, measured every 100 ms.',
    ['lane'],
    async (metric) => {
      for (const { lane, peakBytes } of await read()) metric.set({ lane }, peakBytes)
    },
  )
}

export function showDeliveries(registry: Registry, counts: Readonly<DeliveryCounts>): void {
  const { counter, gauge } = metricsOf(registry)
  const outcomes = ['delivered', 'retried', 'undelivered', 'repeated'] as const
  counter(
    'delivery_attempts_total',
    'Webhook attempts: delivered, retried, undelivered (last attempt failed), repeated (interrupted).',
    ['outcome'],
    (metric) => {
      metric.reset()
      for (const outcome of outcomes) metric.inc({ outcome }, counts[outcome])
    },
  )
  gauge('deliveries_in_flight', 'Webhook calls in flight.', [], (metric) => {
    metric.set(counts.inFlight)
  })
}

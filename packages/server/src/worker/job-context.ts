import type { Lane } from '@mediamill/contract/domain/request'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import type { KeptConnections } from '../outbound/kept-connections.ts'
import type { Network } from '../outbound/network.ts'
import type { IncreaseHold } from '../requests/increase-hold.ts'
import type { Links } from '../requests/present.ts'
import type { Store } from '../store/store.ts'
import type { EngineHost } from '../supervisor/engine-host.ts'
import type { Scratch } from '../supervisor/scratch.ts'
import type { Span, Tracer } from '../telemetry/trace.ts'
import type { JobLimits } from './job-limits.ts'
import type { DestinationAttempt } from './put-result.ts'
import type { Segments } from './segments/segments.ts'
import type { StageClock } from './stage-clock.ts'

export type WorkerContext = {
  sql: Sql
  tracer?: Tracer | undefined
  scratch: Scratch
  /** The worker claims no requests of a lane that has no engine. */
  engines: Partial<Record<Lane, EngineHost>>
  /** The number of jobs per lane that use an engine or wait for an engine. This number limits further claims. */
  load: Record<Lane, number>
  store: Store
  network: Network
  /** If missing, each connection is closed after its use. */
  connections?: KeptConnections
  links: Links
  limits: JobLimits
  retentionMs: number
  secretKey: string
  destinationAttempted: (outcome: DestinationAttempt) => void
  /** If missing, this worker splits no video. */
  segments?: Segments | undefined
  wakeDeliveries?: () => void
  log: Logger
}

export type JobContext = WorkerContext & {
  span: Span | undefined
  clock: StageClock
  increaseHold: IncreaseHold
  afterEnd: AsyncDisposableStack
}

export type Attempt = { folder: string; meter: { bytes: number }; signal: AbortSignal }

export function engineOf(engines: WorkerContext['engines'], lane: Lane): EngineHost {
  const engine = engines[lane]
  if (engine === undefined) throw new Error(`this worker has no engine for the lane ${lane}`)
  return engine
}

export function countedIn(load: Record<Lane, number>, lane: Lane): Disposable {
  load[lane] += 1
  return {
    [Symbol.dispose]() {
      load[lane] -= 1
    },
  }
}

import type { Lane } from '@mediamill/contract/domain/request'
import type { Logger } from 'pino'
import type { Sql } from '../db/connection/connect.ts'
import type { KeptConnections } from '../outbound/kept-connections.ts'
import type { Network } from '../outbound/network.ts'
import type { HoldGrower } from '../requests/grow-hold.ts'
import type { Links } from '../requests/present.ts'
import type { Store } from '../store/store.ts'
import type { EngineHost } from '../supervisor/engine-host.ts'
import type { Scratch } from '../supervisor/scratch.ts'
import type { Span, Tracer } from '../telemetry/trace.ts'
import type { JobLimits } from './job-limits.ts'
import type { Parts } from './parts/parts.ts'
import type { DestinationTry } from './put-result.ts'
import type { StageClock } from './stage-clock.ts'

/** The context of every job of a worker. */
export type WorkerContext = {
  sql: Sql
  tracer?: Tracer | undefined
  scratch: Scratch
  /** The engines there are: requests of a lane without one wait in the queue. */
  engines: Partial<Record<Lane, EngineHost>>
  /** Jobs of each lane that are with an engine or wait for one: counted here, read by who claims. */
  load: Record<Lane, number>
  store: Store
  network: Network
  /** Connections to sources that are kept for a few seconds; missing: none are. */
  connections?: KeptConnections
  /** What links of our own are known by: results of this service are sources too. */
  links: Links
  limits: JobLimits
  retentionMs: number
  /** Which results get thumbnails. `on` leaves out PDFs, whose page has to be drawn for it. */
  thumbnails: 'on' | 'off' | 'all'
  /** Opens what is sealed in the rows of requests. */
  secretKey: string
  /** Notes a try to put a result to its client's bucket. */
  destinationTried: (outcome: DestinationTry) => void
  /** How long videos are made in parts; missing: each in one piece. */
  parts?: Parts | undefined
  /** Wakes whoever delivers events. Never waits and never throws. */
  wakeDeliveries?: () => void
  log: Logger
}

/** The context of one attempt: `log` names its request. */
export type JobContext = WorkerContext & {
  span: Span | undefined
  clock: StageClock
  growHold: HoldGrower
  /** What is to be done once the request has ended, or is not this worker's any more. */
  afterEnd: AsyncDisposableStack
}

/** Counts a job in its lane until it is disposed of. */
export function countedIn(load: Record<Lane, number>, lane: Lane): Disposable {
  load[lane] += 1
  return {
    [Symbol.dispose]() {
      load[lane] -= 1
    },
  }
}

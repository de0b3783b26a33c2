import type { BlockList } from 'node:net'
import type { UrlErrorCode } from '@mediamill/contract/domain/errors'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { Registry } from 'prom-client'
import type { Sql } from '../db/connection/connect.ts'
import type { FileDestination, SealedDestinations } from '../requests/destination.ts'
import type { Links } from '../requests/present.ts'
import type { EventWatch, RequestWatch } from '../requests/watch.ts'
import type { Store } from '../store/store.ts'
import type { Tracer } from '../telemetry/trace.ts'
import type { StampWatch } from '../uploads/stamps/stamp-watch.ts'
import type { ConnectionBounds } from './bound-connections.ts'
import type { ConsoleOptions } from './routes/console/console-context.ts'
import type { Checks } from './routes/health.ts'
import type { UploadPace } from './routes/uploads/upload-body.ts'

export type ApiContext = {
  sql: Sql
  links: Links
  store: Store
  checks: Checks
  isStopping?: () => boolean
  metrics: Registry
  tracer?: Tracer | undefined
  /** Checks the syntax of a URL, its host, and all IP addresses of the host (sources.urls.5). */
  checkUrl: (
    url: string,
  ) => Promise<{ ok: true } | { ok: false; code: UrlErrorCode; message: string; isByOperator?: true }>
  isSample: (url: string) => boolean
  sealDestinations: (accountId: number, destinations: readonly FileDestination[]) => SealedDestinations
  /** Starts delivering events. Call it after an API call has ended a request. Never waits and never throws. */
  wakeDeliveries: () => void
  /** Resolves when the given state of the request is on disk. Rejects if a database failover has lost the state. */
  durable: (request: MediaRequest) => Promise<void>
  watch: RequestWatch
  /** The watch for event streams. It polls more often, because a change of progress sends no notification. */
  streamWatch: RequestWatch
  eventWatch: EventWatch
  stamps: StampWatch
  origins?: readonly string[]
  mcpAllowedDestinations?: readonly string[]
  trustedProxies?: BlockList | undefined
  connections?: Partial<ConnectionBounds>
  console?: ConsoleOptions
  uploadPace?: UploadPace
  callTimeoutMs?: number
}

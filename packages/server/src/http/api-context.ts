import type { BlockList } from 'node:net'
import type { UrlErrorCode } from '@mediamill/contract/domain/errors'
import type { Lane, MediaRequest } from '@mediamill/contract/domain/request'
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
  /** Checks the syntax of a URL, its host, and every address of the host (sources.urls.5). */
  checkUrl: (
    url: string,
  ) => Promise<{ ok: true } | { ok: false; code: UrlErrorCode; message: string; isByOperator?: true }>
  /** Whether a URL is one of our own samples, which are read without a connection. */
  isSample: (url: string) => boolean
  sealDestinations: (accountId: number, destinations: readonly FileDestination[]) => SealedDestinations
  wakeWorkers: (lane: Lane) => void
  /** Starts the delivery of events after a call ended a request. Never waits and never throws. */
  wakeDeliveries: () => void
  /** Resolves when this state of the request is on disk, and rejects if the database lost it. */
  durable: (request: MediaRequest) => Promise<void>
  watch: RequestWatch
  eventWatch: EventWatch
  stamps: StampWatch
  origins?: readonly string[]
  /** Hosts that MCP tools may send data to; none by default (`MCP_ALLOWED_DESTINATIONS`). */
  mcpAllowedDestinations?: readonly string[]
  /** Proxies whose X-Forwarded-For names the client (`TRUSTED_PROXIES`); none by default. */
  trustedProxies?: BlockList | undefined
  connections?: Partial<ConnectionBounds>
  /** Undefined with `CONSOLE=off`. */
  console?: ConsoleOptions
  uploadPace?: UploadPace
  /** The timeout of calls; 8 s by default. */
  callTimeoutMs?: number
}

import type { BlockList } from 'node:net'
import type { UrlErrorCode } from '@mediamill/contract/domain/errors'
import type { Lane, MediaRequest } from '@mediamill/contract/domain/request'
import type { Registry } from 'prom-client'
import type { Sql } from '../db/connection/connect.ts'
import type { FileDestination } from '../requests/destination.ts'
import type { Links } from '../requests/present.ts'
import type { EventWatch, RequestWatch } from '../requests/watch.ts'
import type { Store } from '../store/store.ts'
import type { Tracer } from '../telemetry/trace.ts'
import type { StampWatch } from '../uploads/stamps/stamp-watch.ts'
import type { ConnectionBounds } from './bound-connections.ts'
import type { ConsoleOptions } from './routes/console/console-context.ts'
import type { Checks } from './routes/health.ts'
import type { UploadPace } from './routes/uploads/upload-body.ts'

/** What the HTTP interface needs of the house: handed to every route. */
export type Door = {
  sql: Sql
  links: Links
  store: Store
  /** What `/readyz` asks. */
  checks: Checks
  /** What this process measures, and shows at /metrics. */
  metrics: Registry
  /** Traces calls, where there is a collector. */
  tracer?: Tracer | undefined
  /** Checks the syntax of a URL, its host, and every address of the host (sources.urls.5). */
  checkUrl: (url: string) => Promise<{ ok: true } | { ok: false; code: UrlErrorCode; message: string }>
  /** Whether a URL is one of our own samples, which are read without a connection. */
  isSample: (url: string) => boolean
  /** Encrypts where a result is to be put, for its row. */
  sealDestinations: (accountId: number, destinations: readonly FileDestination[]) => Buffer
  /** Wakes the workers of a lane: a request was accepted. */
  wakeWorkers: (lane: Lane) => void
  /** Wakes whoever delivers events: a request was ended by a call. Never waits and never throws. */
  wakeDeliveries: () => void
  /** Resolves when the request is on disk as it is: before a client is told of it. Rejects when the database lost it. */
  durable: (request: MediaRequest) => Promise<void>
  /** Waits for requests on behalf of calls. */
  watch: RequestWatch
  /** Waits for events of accounts on behalf of calls. */
  eventWatch: EventWatch
  /** Has stamps drawn, and waits for them. */
  stamps: StampWatch
  /** Whose pages may call `/v1`; none unless told otherwise. */
  origins?: readonly string[]
  /** Hosts that tools of /mcp may send data to; none by default (`MCP_ALLOWED_DESTINATIONS`). */
  mcpAllowedDestinations?: readonly string[]
  /** Proxies whose X-Forwarded-For names the client (`TRUSTED_PROXIES`); none by default. */
  trustedProxies?: BlockList | undefined
  /** Bounds on connections and queued bytes that differ from the defaults. */
  connections?: Partial<ConnectionBounds>
  /** What the developer area needs; without it there is none (`CONSOLE=off`). */
  console?: ConsoleOptions
  /** How slowly uploads may come; a source's pace unless a test says otherwise. */
  uploadPace?: UploadPace
  /** How long a call may wait for this side; eight seconds unless a test says less. */
  patienceMs?: number
}

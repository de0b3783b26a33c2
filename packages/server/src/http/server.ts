import { MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS } from '@mediamill/contract/domain/limits'
import { sniff } from '@mediamill/media/formats/sniff'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import Fastify, { LogController } from 'fastify'
import { isAnyKeyWithOrigins } from '../db/accounts/keys.ts'
import { isPublicAddress } from '../outbound/guard/public-address.ts'
import { UploadReceiver } from '../uploads/upload-receiver.ts'
import type { ApiContext } from './api-context.ts'
import type { ConnectionBounds } from './bound-connections.ts'
import { boundConnections, QUEUE_BOUNDS } from './bound-connections.ts'
import { bareAddress, trustsProxies } from './client-address.ts'
import { closeConnectionsAtStop } from './close-connections.ts'
import { compressBodies } from './compress.ts'
import { commonHeaders, handleErrors, newRequestId, notFound, sendError } from './errors.ts'
import { countUnknown, requireKey } from './hooks/authenticate.ts'
import { CALL_TIMEOUT_MS, limitCallTime } from './hooks/call-timeout.ts'
import { allowOrigins } from './hooks/cors.ts'
import { logCalls } from './hooks/log-calls.ts'
import { traceCalls } from './hooks/trace-calls.ts'
import { parseJsonBodies } from './json-body.ts'
import type { LongPolls } from './long-polls.ts'
import { openLongPolls } from './long-polls.ts'
import { handleUnsupportedRequests, rejectMalformedRequest } from './malformed-requests.ts'
import { Previews } from './previews.ts'
import { serveAccount } from './routes/account.ts'
import { serveConsole } from './routes/console/console.ts'
import { serveDocs } from './routes/docs.ts'
import { serveEstimates } from './routes/estimates.ts'
import { serveRequestStream } from './routes/events/request-stream.ts'
import { serveEvents } from './routes/events.ts'
import { serveHealth } from './routes/health.ts'
import { serveMcp } from './routes/mcp.ts'
import { countCalls, serveMetrics } from './routes/metrics.ts'
import { serveProcessing } from './routes/processing.ts'
import { serveRequests } from './routes/requests.ts'
import { serveResults } from './routes/results.ts'
import { serveRoot } from './routes/root.ts'
import { serveStamps } from './routes/stamps.ts'
import { serveTemplates } from './routes/templates.ts'
import { serveUploadContent } from './routes/uploads/content.ts'
import { UPLOAD_PACE } from './routes/uploads/upload-body.ts'
import { measureUploads } from './routes/uploads/upload-metrics.ts'
import type { Receiving } from './routes/uploads.ts'
import { serveUploads } from './routes/uploads.ts'
import { serveUsage } from './routes/usage.ts'

/** The timeouts for receiving the headers of a call, and the whole call (api.http.1). */
const HEADERS_MS = 15_000
const CALL_MS = 30_000

/** How many bytes of a body are buffered while the server checks the key. */
const WAITING_BYTES = 8 * 1024

/** How long idle connections stay open. Longer than in proxies (usually 60 s), so that the proxy closes them first. */
const KEEP_ALIVE_MS = 65_000

const STOP_MS = 25_000

export function buildServer(api: ApiContext, log: FastifyBaseLogger): FastifyInstance {
  const app = Fastify({
    loggerInstance: log.child({}),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'call_id' }),
    http: {
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: false,
      highWaterMark: WAITING_BYTES,
    },
    requestTimeout: CALL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // During a stop, a call on an open connection still gets its normal response.
    return503OnClosing: false,
    trustProxy: trustsProxies(api.trustedProxies),
    // The router must not reject long ids. An id of any length gets 404 if it is not an integer.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 65_536 },
    genReqId: newRequestId,
    frameworkErrors: (_error, call, reply) => void sendError(notFound(call), call, reply),
    clientErrorHandler: (error, socket) => rejectMalformedRequest(error, socket, api.links.baseUrl),
  })
  boundConnections(app, connectionBounds(api), api.metrics)
  handleUnsupportedRequests(app.server, api.links.baseUrl)
  closeConnectionsAtStop(app, STOP_MS)
  handleErrors(app, api.links.baseUrl)
  parseJsonBodies(app)
  limitCallTime(app, api.callTimeoutMs ?? CALL_TIMEOUT_MS)
  app.decorateRequest('span', undefined)
  app.decorateReply('isLongCall', false)
  const longPolls = openLongPolls(api.metrics)
  app.addHook('preClose', async () => {
    api.watch.close()
    api.streamWatch.close()
    api.eventWatch.close()
    api.stamps.close()
  })
  if (api.tracer !== undefined) traceCalls(app, api.tracer)
  const isHttps = api.links.baseUrl.startsWith('https:')
  app.addHook('onRequest', async (call, reply) => {
    reply.headers(commonHeaders(call.id))
    if (isHttps) reply.header('strict-transport-security', 'max-age=31536000')
  })
  allowOrigins(app, api.origins ?? [], () => isAnyKeyWithOrigins(api.sql).catch(() => false))
  compressBodies(app)
  app.addHook('onRequest', async (call, reply) => {
    // A hook rejects the call, so that the server does not read its body.
    if (call.is404) {
      await countUnknown(api, call, reply)
      throw notFound(call)
    }
  })
  countCalls(app, api.metrics)
  logCalls(app)
  const previews = new Previews(api)
  serveEverybody(app, api, previews)
  const receiving = openReceiving(app, api)
  serveUploadContent(app, api, receiving)
  if (api.console !== undefined) serveConsole(app, api, api.console, { longPolls, receiving, previews })
  app.register(async (scope) => serveAccounts(scope, api, longPolls, receiving))
  return app
}

function serveEverybody(app: FastifyInstance, api: ApiContext, previews: Previews): void {
  serveHealth(app, api)
  serveMetrics(app, api.metrics)
  serveRoot(app, api)
  serveDocs(app, api)
  serveResults(app, api)
  serveMcp(app, api, previews)
}

function serveAccounts(scope: FastifyInstance, api: ApiContext, longPolls: LongPolls, receiving: Receiving): void {
  requireKey(scope, api)
  serveProcessing(scope, api, longPolls, receiving)
  serveEstimates(scope, api)
  serveRequests(scope, api, longPolls)
  serveEvents(scope, api, longPolls)
  serveRequestStream(scope, api, longPolls)
  serveAccount(scope)
  serveUsage(scope, api)
  serveUploads(scope, api, receiving)
  serveStamps(scope, api, longPolls)
  serveTemplates(scope, api)
}

function openReceiving(app: FastifyInstance, api: ApiContext): Receiving {
  const receiver = new UploadReceiver(api.sql, api.store, sniff)
  app.addHook('onClose', async () => receiver[Symbol.dispose]())
  return { receiver, pace: api.uploadPace ?? UPLOAD_PACE, onBytes: measureUploads(api.metrics, receiver) }
}

/** Returns the connection limits. An address that is private or in TRUSTED_PROXIES counts as shared by many clients. */
function connectionBounds({ trustedProxies, connections }: ApiContext): ConnectionBounds {
  const isTrusted = trustsProxies(trustedProxies)
  return {
    ...QUEUE_BOUNDS,
    maxConnections: MAX_CONNECTIONS,
    maxConnectionsPerAddress: MAX_CONNECTIONS_PER_ADDRESS,
    isShared: (address) => isTrusted(address) || !isPublicAddress(bareAddress(address) ?? ''),
    ...connections,
  }
}

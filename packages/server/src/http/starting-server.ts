import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import Fastify, { LogController } from 'fastify'
import { withTimeout } from '../lib/time/with-timeout.ts'
import { commonHeaders, errorBody, newRequestId, RETRY_AFTER_S } from './errors.ts'

/** A server that runs during migrations. It is alive but not ready, and rejects API calls. */
type StartingServer = { server: FastifyInstance; setMigration: (name: string, progress: ReadProgress) => void }

type ReadProgress = () => Promise<{ phase: string; percent: number } | undefined>

const PROGRESS_TIMEOUT_MS = 1_000

export function buildStartingServer(baseUrl: string, log: FastifyBaseLogger): StartingServer {
  let migration = ''
  let progress: ReadProgress = async () => undefined
  const logController = new LogController({ disableRequestLogging: true })
  const server = Fastify({
    loggerInstance: log.child({}),
    logController,
    forceCloseConnections: true,
    genReqId: newRequestId,
  })
  server.get('/livez', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_call, reply) => {
    reply.code(503)
    const read = progress().catch(() => undefined)
    return { status: 'migrating', migration, ...(await withTimeout(read, PROGRESS_TIMEOUT_MS, () => undefined)) }
  })
  // A hook sends the response, so that the server reads no body.
  server.addHook('onRequest', async (call, reply) => {
    if (!call.is404) return
    const error = new ApiError('server_error', `The service is starting. Try again in ${RETRY_AFTER_S} seconds.`)
    reply.code(503).headers({ ...commonHeaders(call.id), 'retry-after': RETRY_AFTER_S, connection: 'close' })
    return reply.send(errorBody(error, call.id, baseUrl))
  })
  const setMigration = (name: string, read: ReadProgress) => {
    migration = name
    progress = read
  }
  return { server, setMigration }
}

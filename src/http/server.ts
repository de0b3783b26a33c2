import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { ApiError } from '../domain/errors.ts'
import { serveAccount } from './account.ts'
import { requireKey } from './authenticate.ts'
import type { Door } from './door.ts'
import { answer, answerErrors, errorBody, notFound } from './errors.ts'
import { serveHealth } from './health.ts'
import { MAX_BODY_BYTES, parseJsonBodies } from './json-body.ts'
import { serveProcessing } from './processing.ts'
import { serveRequests } from './requests.ts'
import { serveResults } from './results.ts'

/** Builds the HTTP interface; it listens when `listen` is called on it. */
export function buildServer(door: Door, log: FastifyBaseLogger): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    disableRequestLogging: true,
    bodyLimit: MAX_BODY_BYTES,
    http: { headersTimeout: 15_000 },
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    genReqId: () => `req_${randomBytes(12).toString('hex')}`,
    frameworkErrors: (_error, call, reply) => void answer(notFound(), call, reply),
    clientErrorHandler: answerBrokenCall,
  })
  answerErrors(app)
  parseJsonBodies(app)
  app.addHook('onRequest', async (call, reply) => {
    reply.headers({ 'request-id': call.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
  })
  serveHealth(app, door)
  serveResults(app, door)
  app.register(async (scope) => {
    requireKey(scope, door)
    serveProcessing(scope, door)
    serveRequests(scope, door)
    serveAccount(scope)
  })
  return app
}

/** A call that is not HTTP never becomes one of Fastify's: it is answered on its socket, in the one shape. */
function answerBrokenCall(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const requestId = `req_${randomBytes(12).toString('hex')}`
  const refusal = new ApiError('validation_failed', 'This is not a well-formed HTTP call.')
  const body = JSON.stringify(errorBody(refusal, requestId))
  socket.end(
    `HTTP/1.1 422 Unprocessable Content\r\nRequest-Id: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

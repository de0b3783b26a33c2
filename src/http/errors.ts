import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorBody } from '../contract/error.ts'
import { docUrl } from '../domain/doc-url.ts'
import { API_ERRORS, ApiError, ERROR_TYPES } from '../domain/errors.ts'
import { MAX_BODY_BYTES } from '../domain/limits.ts'
import { hasOwnTime } from './uploads/own-time.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The public address of the service, which the pages lie below that errors lead to. */
    baseUrl: string
  }
}

/** The body of every HTTP error (Spec 7.1). */
export function errorBody(error: ApiError, requestId: string, baseUrl: string): ErrorBody {
  // A validation error always has its list, also when no single field is to blame.
  const errors = error.errors ?? (error.code === 'validation_failed' ? [] : undefined)
  return {
    error: {
      type: ERROR_TYPES[error.status],
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(errors !== undefined && { errors }),
      doc_url: docUrl(baseUrl, error.code),
      request_id: requestId,
    },
  }
}

/** Answers every error of every route in the one shape; `baseUrl` is the public address of the service. */
export function answerErrors(app: FastifyInstance, baseUrl: string): void {
  app.decorate('baseUrl', baseUrl)
  app.setErrorHandler<FastifyError | ApiError>((error, call, reply) => answer(toApiError(error), call, reply))
}

/** Unknown path or method (rulings 3). */
export function notFound(): ApiError {
  return new ApiError(
    'not_found',
    'There is nothing at this path with this method. GET /docs shows what there is, GET /v1/openapi.json lists it for programs.',
  )
}

/** A fault of the service; `cause` goes to the log. */
export function serverError(cause?: unknown): ApiError {
  return new ApiError('server_error', 'Something went wrong on our side. Try again; quote request_id if it stays.', {
    cause,
  })
}

/** Answers a call that is refused: also one that never came as far as a route and its hooks. */
export async function answer(error: ApiError, call: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error.status === API_ERRORS.server_error) {
    call.log.error({ err: error.cause }, 'a call failed')
  }
  // Fastify closes the connection of a call whose body it refused, and a client that is still sending would then hear
  // of a broken pipe instead of the reason. Node reads a small rest away by itself.
  if (restOfBody(call) < MOST_READ_AWAY || hasOwnTime(call.raw)) reply.removeHeader('connection')
  endLater(call)
  reply.headers(commonHeaders(call.id))
  if (error.status === API_ERRORS.missing_api_key) reply.header('www-authenticate', 'Bearer')
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  await reply.code(error.status).send(errorBody(error, call.id, call.server.baseUrl))
}

/** What every answer carries. */
export function commonHeaders(requestId: string): Record<string, string> {
  // wall: a type that a browser guesses
  return { 'request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
}

/** Bytes of a refused body that are read away to keep the connection. */
const MOST_READ_AWAY = 64 * MAX_BODY_BYTES

/** How long the rest of a refused body is read away that does not say how long it is, or may be of any length. */
const READ_AWAY_MS = 2_000

function endLater({ headers, raw }: FastifyRequest): void {
  const isBounded = headers['transfer-encoding'] === undefined && !hasOwnTime(raw)
  if (isBounded || raw.complete) return
  // wall: a refused body that goes on
  setTimeout(() => void (raw.complete || raw.socket.destroy()), READ_AWAY_MS).unref()
}

const restOfBody = (call: FastifyRequest) => Number(call.headers['content-length'] ?? 0)

/** What the framework says of a call, in the words of the interface; anything unknown is a bug of ours. */
function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('validation_failed', 'Send the body as JSON, with the header Content-Type: application/json.')
    default:
      // Any other fault of the call, such as a body that breaks off.
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
        return new ApiError('validation_failed', 'The call could not be read to its end.', { cause: error })
      }
      return serverError(error)
  }
}

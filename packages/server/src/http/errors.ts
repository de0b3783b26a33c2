import { API_ERRORS, ApiError, docUrl, ERROR_TYPES } from '@mediamill/contract/domain/errors'
import { MAX_BODY_BYTES } from '@mediamill/contract/domain/limits'
import type { ErrorBody } from '@mediamill/contract/objects/error'
import { ROUTES } from '@mediamill/contract/routes'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isAway } from '../db/connection/errors.ts'
import { ERROR_PAGE_POLICY, errorPage, isOpenedByPeople, showsErrorPage } from './error-page.ts'
import type { NearRoutes } from './near-routes.ts'
import { nearRoutes } from './near-routes.ts'
import { readAway } from './refused-body.ts'
import { hasOwnTime } from './routes/uploads/own-time.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The public address of the service, which the pages lie below that errors lead to. */
    baseUrl: string
  }
}

/** Those of `/v1` are the contract's; the developer area has some codes more. */
type AnyErrorBody = { error: Omit<ErrorBody['error'], 'code'> & { code: ApiError['code'] } }

/** The body of every HTTP error (errors.body.1). */
export function errorBody(error: ApiError, requestId: string, baseUrl: string): AnyErrorBody {
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

/** Answers every error of every route in the one shape. `baseUrl` is the public address of the service. */
export function answerErrors(app: FastifyInstance, baseUrl: string): void {
  app.decorate('baseUrl', baseUrl)
  app.setErrorHandler<FastifyError | ApiError>((error, call, reply) => answer(toApiError(error, call), call, reply))
}

/**
 * Unknown path or method (api.paths.1), with what the call probably meant. Without a call, of one that is none of ours.
 */
export function notFound(call?: Pick<FastifyRequest, 'method' | 'url'>): ApiError {
  const { sentence, allow }: NearRoutes =
    call === undefined
      ? { sentence: 'There is nothing at this path with this method.' }
      : nearRoutes(call.method, call.url)
  const way = 'GET /docs shows what there is, GET /v1/openapi.json lists it for programs.'
  return new ApiError('not_found', `${sentence} ${way}`, { allow })
}

/** A fault of the service; `cause` goes to the log. */
export function serverError(cause?: unknown): ApiError {
  return new ApiError('server_error', 'Something went wrong on our side. Try again; quote request_id if it stays.', {
    cause,
  })
}

/** Seconds after which a client may repeat a call that failed because the database is unavailable. */
const RETRY_AFTER_S = 5

/** The service cannot reach its database at the moment (errors.calls.2); `cause` goes to the log. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError('server_error', `The service is unavailable. Try again in ${RETRY_AFTER_S} seconds.`, {
    status: 503,
    retryAfterSeconds: RETRY_AFTER_S,
    cause,
  })
}

/** Answers a refused call, even one that never reached a route and its hooks. */
export async function answer(error: ApiError, call: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.refusedWith = error.code
  // The log has one line for the outage itself.
  if (error.code === 'server_error')
    call.log[error.status === 503 ? 'debug' : 'error']({ err: error.cause }, 'a call failed')
  // Fastify closes the connection of a call whose body it refused, and a client that is still sending would then hear
  // of a broken pipe instead of the reason. Node reads a small rest away by itself.
  if (restOfBody(call) < MOST_READ_AWAY || hasOwnTime(call.raw)) reply.removeHeader('connection')
  readAway(call.raw)
  reply.headers(commonHeaders(call.id))
  if (error.status === API_ERRORS.missing_api_key) reply.header('www-authenticate', 'Bearer')
  if (error.allow !== undefined) reply.header('allow', error.allow)
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  if (isOpenedByPeople(call.url)) {
    const others = reply.getHeader('vary')
    reply.header('vary', others === undefined || others === 'Accept' ? 'Accept' : `${String(others)}, Accept`)
  }
  if (showsErrorPage(call)) {
    reply.type('text/html; charset=utf-8').header('content-security-policy', ERROR_PAGE_POLICY)
    await reply.code(error.status).send(errorPage(error, call.id, call.server.baseUrl))
    return
  }
  await reply.code(error.status).send(errorBody(error, call.id, call.server.baseUrl))
}

/** Returns the headers of every answer. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
}

/** Bytes of a refused body that are read away to keep the connection. */
const MOST_READ_AWAY = 64 * MAX_BODY_BYTES

const restOfBody = (call: FastifyRequest) => Number(call.headers['content-length'] ?? 0)

/** What to say of a body that is not JSON: files come here as well, from those who know other services. */
function otherBody(contentType = ''): string {
  const json = 'Send the body as JSON, with the header Content-Type: application/json'
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return `${json}. ${NOT_FORM_ENCODED}`
  return IS_FILE.test(contentType)
    ? `Files are not sent in this call: put the file where the service can fetch it${UPLOAD}. ${json}, which names the file as source.`
    : `${json}.`
}

/** The other way to the service, where it has one. */
const UPLOAD = ROUTES.some(({ path }) => path === '/v1/uploads') ? ', or send it to POST /v1/uploads first' : ''

const NOT_FORM_ENCODED =
  'To send a file to a processing endpoint, use curl -F source=@photo.jpg; to upload one, use curl -T photo.jpg or --data-binary @photo.jpg with the header Content-Type: application/octet-stream.'

const IS_FILE = /^(?:multipart|image|video|audio)\/|^application\/(?:pdf|octet-stream)/i

/** What the framework says of a call, in the words of the interface; anything unknown is a bug of ours. */
function toApiError(error: FastifyError | ApiError, { headers }: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('validation_failed', otherBody(headers['content-type']))
    default:
      // Any other fault of the call, such as a body that breaks off.
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
        return new ApiError('validation_failed', 'The call could not be read to its end.', { cause: error })
      }
      return isAway(error) ? unavailable(error) : serverError(error)
  }
}

import { randomBytes } from 'node:crypto'
import { API_ERRORS, ApiError, docUrl, ERROR_TYPES } from '@mediamill/contract/domain/errors'
import type { ErrorBody } from '@mediamill/contract/objects/error'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isAway } from '../db/connection/errors.ts'
import { codeOf } from '../lib/error-code.ts'
import { discardBody } from './discard-body.ts'
import { ERROR_PAGE_POLICY, errorPage, isOpenedByPeople, showsErrorPage } from './error-page.ts'
import { addVary } from './negotiate.ts'
import type { RouteSuggestions } from './suggest-routes.ts'
import { suggestRoutes } from './suggest-routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    baseUrl: string
  }
}

type AnyErrorBody = { error: Omit<ErrorBody['error'], 'code'> & { code: ApiError['code'] } }

export function errorBody(error: ApiError, requestId: string, baseUrl: string): AnyErrorBody {
  // `validation_failed` always has `errors`, even if the error is not about a single field.
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

export function handleErrors(app: FastifyInstance, baseUrl: string): void {
  app.decorate('baseUrl', baseUrl)
  // Some routes, such as GET, never read a body.
  app.addHook('onSend', async (call, reply) => {
    if (reply.rejectedWith === undefined) discardBody(call.raw, reply)
  })
  app.setErrorHandler<FastifyError | ApiError>((error, call, reply) => sendError(toApiError(error, call), call, reply))
}

/** Returns the error for an unknown path or method (api.paths.1). If `call` is given, suggests similar routes. */
export function notFound(call?: Pick<FastifyRequest, 'method' | 'url'>): ApiError {
  const { sentence, allow }: RouteSuggestions =
    call === undefined
      ? { sentence: 'There is nothing at this path with this method.' }
      : suggestRoutes(call.method, call.url)
  // words-ok: recorded responses have this sentence
  const nextStep = 'GET /docs describes every call, and GET /v1/openapi.json describes them for programs.'
  return new ApiError('not_found', `${sentence} ${nextStep}`, { allow })
}

/** Returns the error for a bug or an outage. `cause` is logged, but not sent to the client. */
export function serverError(cause?: unknown): ApiError {
  return new ApiError(
    'server_error',
    'Internal error. Try again. If the error persists, report the request_id to the operator.',
    {
      cause,
    },
  )
}

export const RETRY_AFTER_S = 5

export function unavailable(cause: unknown): ApiError {
  return new ApiError('server_error', `The service is unavailable. Try again in ${RETRY_AFTER_S} seconds.`, {
    status: 503,
    retryAfterSeconds: RETRY_AFTER_S,
    cause,
  })
}

/** Sends an error. Also works for calls that are rejected before Fastify has found their route. */
export async function sendError(error: ApiError, call: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.rejectedWith = error.code
  // Other code already logs an outage (503), so this line is only for debugging.
  if (error.code === 'server_error')
    call.log[error.status === 503 || isClientGone(error, reply) ? 'debug' : 'error'](
      { err: error.cause },
      'call failed',
    )
  // By default, Fastify closes the connection at once after rejecting a body.
  reply.removeHeader('connection')
  discardBody(call.raw, reply)
  reply.headers(commonHeaders(call.id))
  if (error.status === API_ERRORS.missing_api_key) reply.header('www-authenticate', 'Bearer')
  if (error.allow !== undefined) reply.header('allow', error.allow)
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  if (isOpenedByPeople(call.url)) addVary(reply, 'Accept')
  if (showsErrorPage(call)) {
    reply.type('text/html; charset=utf-8').header('content-security-policy', ERROR_PAGE_POLICY)
    await reply.code(error.status).send(errorPage(error, call, call.server.baseUrl))
    return
  }
  await reply.code(error.status).send(errorBody(error, call.id, call.server.baseUrl))
}

/** Returns whether the client disconnected before a stream started. Fastify reports a stream error in this case. */
const isClientGone = ({ cause }: ApiError, { raw }: FastifyReply): boolean =>
  raw.destroyed && codeOf(cause) === 'ERR_STREAM_PREMATURE_CLOSE'

export const newRequestId = (): string => `req_${randomBytes(12).toString('hex')}`

export function commonHeaders(requestId: string): Record<string, string> {
  return { 'request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
}

/** Returns the message for a body that is not JSON. Users of other services often send the file itself as the body. */
function invalidBodyMessage(contentType = ''): string {
  const json = 'Send the body as JSON, with the header Content-Type: application/json.'
  return MAY_BE_FILE.test(contentType) ? `${json} ${SEND_FILE}` : json
}

const SEND_FILE =
  'To send a file to a processing endpoint, use curl -F source=@photo.jpg; to upload one, use curl -T photo.jpg or --data-binary @photo.jpg with the header Content-Type: application/octet-stream.'

/** Matches content types of bodies that may be a file. `curl -d @photo.jpg` sends a file as a URL-encoded form. */
const MAY_BE_FILE = /^(?:multipart|image|video|audio)\/|^application\/(?:pdf|octet-stream|x-www-form-urlencoded)\b/i

function toApiError(error: FastifyError | ApiError, { headers }: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ApiError('validation_failed', invalidBodyMessage(headers['content-type']))
  // For example, the client closed the connection while it sent the body.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError('validation_failed', 'The call was not received completely. Send the call again.', {
      cause: error,
    })
  }
  return isAway(error) ? unavailable(error) : serverError(error)
}

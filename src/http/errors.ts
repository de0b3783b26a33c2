import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { API_ERRORS, ApiError, ERROR_TYPES } from '../domain/errors.ts'

/** The body of every HTTP error (Spec 7.1). */
export function errorBody(error: ApiError, requestId: string): object {
  return {
    error: {
      type: ERROR_TYPES[error.status],
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.errors !== undefined && { errors: error.errors }),
      request_id: requestId,
    },
  }
}

/** Answers every error of every route, path and framework in the one shape. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError | ApiError>((error, call, reply) => answer(toApiError(error), call, reply))
  app.setNotFoundHandler((call, reply) => answer(notFound(), call, reply))
}

export function notFound(): ApiError {
  return new ApiError(
    'not_found',
    'There is nothing at this path with this method. GET /v1/openapi.json lists what there is.',
  )
}

export async function answer(error: ApiError, call: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (error.status === API_ERRORS.server_error)
    call.log.error({ err: error.cause, request_id: call.id }, 'a call failed')
  else call.log.debug({ code: error.code, request_id: call.id }, 'a call was refused')
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  await reply.code(error.status).send(errorBody(error, call.id))
}

/** What the framework says of a call, in the words of the interface; anything unknown is a bug of ours. */
function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('validation_failed', 'The body is larger than 1 MB, the most a call may send.')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('validation_failed', 'Send the body as JSON, with the header Content-Type: application/json.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('validation_failed', 'The body is not as long as its Content-Length says.')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound()
    default:
      return new ApiError(
        'server_error',
        'Something went wrong on our side. Try again; quote request_id if it stays.',
        {
          cause: error,
        },
      )
  }
}

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../domain/errors.ts'
import { commonHeaders, errorBody, notFound } from './errors.ts'
import { newRequestId } from './request-id.ts'

/** Node's own answers to odd calls are bare: these become ordinary calls, or are answered in the one shape. */
export function answerOddCalls(server: Server): void {
  server.on('connect', (_call, socket) => answerOnSocket(notFound(), socket as Socket))
  server.on('checkExpectation', (call, reply) => server.emit('request', call, reply))
}

/** A call that is not HTTP, or stops being it in its body, is answered on its socket. */
export function answerBrokenCall(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) socket.destroy()
  else answerOnSocket(toApiError(error), socket)
}

/**
 * Whether an answer to an earlier call of this connection is under way: nothing may cut into it. An answer that belongs to
 * a call which has not come to its end, and of which nothing was sent, is one to the broken call itself.
 */
function isAnswering(socket: Socket): boolean {
  // Node's own field, without which this cannot be told: the answer that the socket is held for.
  const answer = '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null
  return answer !== null && (answer.headersSent || answer.req.complete)
}

function toApiError(error: NodeJS.ErrnoException): ApiError {
  switch (error.code ?? '') {
    case 'HPE_INVALID_METHOD':
      return notFound()
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('validation_failed', 'The headers of the call are larger than 16 KB, the most it may send.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('validation_failed', 'The call did not arrive whole in time. Send it again.')
    default:
      return new ApiError('validation_failed', 'This is not a well-formed HTTP call.')
  }
}

const REASONS: Partial<Record<number, string>> = { 404: 'Not Found', 422: 'Unprocessable Content' }

function answerOnSocket(error: ApiError, socket: Socket): void {
  const requestId = newRequestId()
  const body = JSON.stringify(errorBody(error, requestId))
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${error.status} ${REASONS[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}

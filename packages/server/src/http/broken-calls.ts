import type { Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@mediamill/contract/domain/errors'
import { commonHeaders, errorBody, notFound } from './errors.ts'
import { newRequestId } from './request-id.ts'
import { hasOwnTime } from './routes/uploads/own-time.ts'

/** What Node says of it, with the bytes that it could not read. */
type BrokenCall = NodeJS.ErrnoException & { rawPacket?: unknown }

/** How long a connection that was answered for good may take to be closed by the other side. */
const LINGER_MS = 2_000

/** Connections that are being closed: what they still send is of no call. */
const leaving = new WeakSet<Socket>()

/** Turns odd calls into ordinary ones, or answers them in the one shape. Node's own answers to them are bare. */
export function answerOddCalls(server: Server, baseUrl: string): void {
  server.on('connect', (_call, socket) => answerOnSocket(notFound(), socket as Socket, baseUrl))
  server.on('checkExpectation', (call, reply) => server.emit('request', call, reply))
}

/**
 * Answers a broken call on its socket. A call that is not HTTP, or whose body stops being it, never reaches Fastify.
 */
export function answerBrokenCall(error: BrokenCall, socket: Socket, baseUrl: string): void {
  if (leaving.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const current = answerOf(socket)
  // Who reads it bounds it in other ways.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && hasOwnTime(current?.req)) return
  // What came after a whole call is broken, such as the rest of a body that is longer than its Content-Length said: the
  // whole call gets its answer.
  if (current?.req.complete === true) leaveAfterAnswers(socket)
  // A call that was refused before its end has its answer already.
  else if (current?.headersSent === true) leave(socket)
  else answerOnSocket(toApiError(error), socket, baseUrl)
}

/** The answer that is being made on a connection: it belongs to the oldest call that is not answered. */
function answerOf(socket: Socket): ServerResponse | undefined {
  return ('_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null) ?? undefined
}

function leaveAfterAnswers(socket: Socket): void {
  leaving.add(socket)
  const current = answerOf(socket)
  if (current === undefined) leave(socket)
  else current.once('finish', () => leaveAfterAnswers(socket))
}

/** Closes a connection, with so much patience that the other side can read its answer before it hears of the end. */
function leave(socket: Socket, lastWords = ''): void {
  leaving.add(socket)
  socket.end(lastWords)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function toApiError(error: BrokenCall): ApiError {
  switch (error.code ?? '') {
    case 'HPE_INVALID_METHOD':
      // A method that Node does not know is one more that there is not; what is no line of HTTP is no call.
      if (IS_CALL.test(beginningOf(error.rawPacket))) return notFound()
      break
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'validation_failed',
        'The URL and headers of the call are larger than 16 KB, the most it may send.',
      )
    case 'HPE_INVALID_EOF_STATE':
      return new ApiError('validation_failed', 'The call broke off before its end. Send it again, whole.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('validation_failed', 'The call did not arrive whole in time. Send it again.')
  }
  return new ApiError('validation_failed', 'This is not a well-formed HTTP call.')
}

const beginningOf = (bytes: unknown) => (Buffer.isBuffer(bytes) ? bytes.toString('latin1', 0, 4096) : '')

/** The first line of a call: a method, a path and a version. */
const IS_CALL = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/

function answerOnSocket(error: ApiError, socket: Socket, baseUrl: string): void {
  const requestId = newRequestId()
  const body = JSON.stringify(errorBody(error, requestId, baseUrl))
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  leave(socket, `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}

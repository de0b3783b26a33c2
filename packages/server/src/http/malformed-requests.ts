import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@mediamill/contract/domain/errors'
import { commonHeaders, errorBody, newRequestId, notFound } from './errors.ts'
import { hasNoTimeout } from './routes/uploads/body-timeout.ts'

type MalformedRequestError = NodeJS.ErrnoException & { rawPacket?: unknown }

/** After the last response, a client has this time to close its side of the connection. */
const LINGER_MS = 2_000

/** Connections that the server is closing. Data that still arrives on them is ignored. */
const leaving = new WeakSet<Socket>()

/** For each connection, the last call that got its response before its whole body had arrived. */
const answeredEarly = new WeakMap<Socket, IncomingMessage>()

/** Handles `CONNECT` and unknown `Expect` headers, which Node would reject without an error body. */
export function handleUnsupportedRequests(server: Server, baseUrl: string): void {
  server.on('request', (call, response) =>
    response.once('finish', () => {
      if (!call.complete) answeredEarly.set(call.socket, call)
    }),
  )
  server.on('connect', (_call, socket) => respondOnSocket(notFound(), socket as Socket, baseUrl))
  server.on('checkExpectation', (call, reply) => server.emit('request', call, reply))
}

/** Sends an error for a call that Node cannot parse. Writes to the socket, because Fastify never gets such a call. */
export function rejectMalformedRequest(error: MalformedRequestError, socket: Socket, baseUrl: string): void {
  if (leaving.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const current = responseOf(socket)
  // The route itself limits the time in which this body must arrive.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && hasNoTimeout(current?.req)) return
  // The call itself is complete and gets its response. Only the bytes after the call are malformed.
  if (current?.req.complete === true) closeAfterResponses(socket)
  // The response is already sent. A proxy could take a second response for the response to the next call.
  else if (current?.headersSent === true || answeredEarly.get(socket)?.complete === false) endConnection(socket)
  else respondOnSocket(toApiError(error), socket, baseUrl)
}

function responseOf(socket: Socket): ServerResponse | undefined {
  return ('_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null) ?? undefined
}

function closeAfterResponses(socket: Socket): void {
  leaving.add(socket)
  const current = responseOf(socket)
  if (current === undefined) endConnection(socket)
  else current.once('finish', () => closeAfterResponses(socket))
}

function endConnection(socket: Socket, lastData = ''): void {
  leaving.add(socket)
  socket.end(lastData)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function toApiError(error: MalformedRequestError): ApiError {
  switch (error.code ?? '') {
    case 'HPE_INVALID_METHOD':
      // An unknown method gets 404, like an unknown path. Any other malformed data is not an HTTP call.
      if (IS_CALL.test(beginningOf(error.rawPacket))) return notFound()
      break
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('validation_failed', 'The URL and headers of the call must have at most 16 KB in total.')
    case 'HPE_INVALID_EOF_STATE':
      return new ApiError(
        'validation_failed',
        'The connection ended before the whole call was received. Send the call again.',
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('validation_failed', 'The call was not received completely in time. Send the call again.')
  }
  return new ApiError('validation_failed', 'This is not a well-formed HTTP call.')
}

const beginningOf = (bytes: unknown) => (Buffer.isBuffer(bytes) ? bytes.toString('latin1', 0, 4096) : '')

const IS_CALL = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/

function respondOnSocket(error: ApiError, socket: Socket, baseUrl: string): void {
  const requestId = newRequestId()
  const body = JSON.stringify(errorBody(error, requestId, baseUrl))
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  endConnection(socket, `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}

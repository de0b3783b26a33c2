import type { IncomingMessage, RequestOptions } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { isIP } from 'node:net'
import type { Writable } from 'node:stream'
import { isTlsError } from '../lib/tls-error.ts'
import type { ChunkThrottle } from './chunk-throttle.ts'
import { processThrottle } from './chunk-throttle.ts'
import { JoinedBody } from './fetch/joined-body.ts'
import type { CheckedUrl } from './guard/check-url.ts'
import { isBlocked, isPublicAddress } from './guard/public-address.ts'
import type { OwnConnections } from './kept-connections.ts'
import type { Network } from './network.ts'
import { readAfterWriteError } from './read-after-write-error.ts'

type OutgoingCall = {
  method: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body?: Buffer | ((request: Writable) => void)
  signal: AbortSignal
  connectMs: number
  /** The time limit from the connection to the headers of the response, including the TLS handshake. */
  headersMs: number
  throttle?: ChunkThrottle
  connections?: OwnConnections | undefined
}

/** A response with its body. Read `body`, not `response`. If either is destroyed, the other is destroyed too. */
export type ReceivedResponse = { response: IncomingMessage; body: JoinedBody }

export type CallOutcome = ({ ok: true } & ReceivedResponse) | CallFailure

/** A failed call. `isStale`: a reused connection failed. The server may have closed it while it was idle. */
type CallFailure = { ok: false; connected: boolean; isStale: boolean; reason: string; cause: unknown }

const MAX_HEADER_BYTES = 16 * 1024
const MAX_INTERIM_RESPONSES = 8

/** Sends a call, without a proxy that would bypass the address check. The caller must read or destroy the body. */
export function send(target: CheckedUrl, network: Network, call: OutgoingCall): Promise<CallOutcome> {
  return new Promise((resolve) => {
    let connected = false
    let interimResponses = 0
    const request = (target.url.secure ? https : http).request(requestOptions(target, network, call))
    // security check: a connection that is never accepted
    let timer = setTimeout(() => fail('did not accept a connection in time'), call.connectMs)

    let settled = false
    function settle(outcome: CallOutcome): void {
      settled = true
      clearTimeout(timer)
      resolve(outcome)
    }
    // After the response has arrived, errors such as additional bytes must not destroy a complete body.
    function fail(reason: string, cause?: unknown, isStale = false): void {
      if (settled) return
      settle({ ok: false, connected, isStale, reason, cause })
      request.destroy()
    }
    function begin(socket: Socket): void {
      // `checkUrl` checked the addresses earlier. This checks the address to which the socket is connected.
      const peer = socket.remoteAddress ?? ''
      // security check: a connection that reached a private address
      if (!target.url.exempt && (!isPublicAddress(peer) || isBlocked(peer, network.blockedNetworks))) {
        return fail(
          'is not on the public internet',
          new Error(`connected to a private or blocked address: ${socket.remoteAddress}`),
        )
      }
      connected = true
      clearTimeout(timer)
      // security check: a server that never responds
      timer = setTimeout(() => fail('did not respond in time'), call.headersMs)
    }

    request.once('socket', (socket: Socket) => {
      if (request.reusedSocket) return begin(socket)
      readAfterWriteError(socket)
      socket.once('connect', () => begin(socket))
    })
    request.once('response', (response) => {
      settle({ ok: true, response, body: new JoinedBody(response, call.throttle ?? processThrottle) })
    })
    request.on('information', () => {
      interimResponses += 1
      // security check: interim responses without end
      if (interimResponses > MAX_INTERIM_RESPONSES) fail('sent no final response')
    })
    // Without this listener, a 101 response would end the call without a response or an error.
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      // security check: a response that switches protocols
      fail('returned status 101')
    })
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(reasonOf(error, connected), error, request.reusedSocket && !call.signal.aborted),
    )
    request.once('close', () => fail('closed the connection without a response', undefined, request.reusedSocket))
    if (typeof call.body === 'function') call.body(request)
    else request.end(call.body)
  })
}

function requestOptions(
  target: CheckedUrl,
  network: Network,
  call: OutgoingCall,
): RequestOptions & { highWaterMark: number } {
  const { url, addresses } = target
  // Node.js calls `lookup` only for host names. If the host is an IP address, `checkUrl` has already checked it.
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  const pinned: LookupFunction = (_hostname, options, done) => {
    const [first] = entries
    if (options.all === true) done(null, entries)
    else done(null, first?.address ?? '', first?.family ?? 0)
  }
  return {
    method: call.method,
    host: url.hostname,
    port: url.port,
    path: url.path,
    headers: { host: url.authority, ...call.headers },
    // security check: a proxy from the environment, and connections that accounts share
    agent: call.connections?.agentFor(target) ?? false,
    // security check: a name that changes its address
    lookup: pinned,
    signal: call.signal,
    // security check: endless headers
    maxHeaderSize: MAX_HEADER_BYTES,
    // Also applies to the socket: a paused socket buffers one read instead of 65,536 single bytes.
    // security check: single bytes that a paused socket buffers
    highWaterMark: 1,
    ...(url.secure && {
      // security check: an untrusted certificate, or one of another name
      servername: isIP(url.hostname) === 0 ? url.hostname : '',
      ...(network.certificateAuthorities !== undefined && { ca: network.certificateAuthorities }),
    }),
  }
}

function reasonOf(error: NodeJS.ErrnoException, connected: boolean): string {
  const code = error.code ?? ''
  if (!connected) return 'did not accept a connection'
  if (code.startsWith('HPE_')) return 'sent an invalid HTTP response'
  if (isTlsError(error)) return 'has no valid TLS certificate'
  return 'closed the connection without a response'
}

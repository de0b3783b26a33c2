import type { IncomingMessage, RequestOptions } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { isIP } from 'node:net'
import type { Writable } from 'node:stream'
import { JoinedBody } from './fetch/joined-body.ts'
import type { CheckedUrl } from './guard/check-url.ts'
import { isBlocked, isPublicAddress } from './guard/public-address.ts'
import type { OwnConnections } from './kept-connections.ts'
import type { Network } from './network.ts'
import { outliveBrokenWrites } from './outlive-broken-writes.ts'
import type { Toll } from './toll.ts'
import { processToll } from './toll.ts'

/** One HTTP call to a URL that was checked. */
export type OutgoingCall = {
  method: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  /** The whole of it, or what writes it into the call and ends that. */
  body?: Buffer | ((request: Writable) => void)
  signal: AbortSignal
  /** For the connection to be made. */
  connectMs: number
  /** From then on, for the TLS handshake and the whole of the answer's headers. */
  headersMs: number
  /** What bodies in crumbs pay; the process's unless a test has its own. */
  toll?: Toll
  /** Connections that may be used again; missing: it has one of its own, which nobody uses after it. */
  connections?: OwnConnections | undefined
}

/** The answer to a call. `body` is what is read of it, and destroying either destroys both. */
export type Answer = { response: IncomingMessage; body: JoinedBody }

/** The end of a call. It is an answer with complete headers, or a failure in words for a client. */
export type CallOutcome = ({ ok: true } & Answer) | CallFailure

/** `isStale`: a connection that was used before had been closed meanwhile, which says nothing about the server. */
type CallFailure = { ok: false; connected: boolean; isStale: boolean; reason: string; cause: unknown }

const MAX_HEADER_BYTES = 16 * 1024
const MAX_INTERIM_ANSWERS = 8

/**
 * Makes one call to the addresses that were checked. It connects to no other and follows nothing. Always settles,
 * whatever the other side does.
 *
 * The caller must read or destroy the body. It has a connection of its own, or one of `connections`: no pool that accounts
 * would share, and no proxy from the environment, which would make the address check one of the proxy's address.
 */
export function send(target: CheckedUrl, network: Network, call: OutgoingCall): Promise<CallOutcome> {
  return new Promise((resolve) => {
    let connected = false
    let interimAnswers = 0
    const request = (target.url.secure ? https : http).request(requestOptions(target, network, call))
    // wall: a connection that nobody accepts
    let timer = setTimeout(() => fail('did not accept a connection in time'), call.connectMs)

    let settled = false
    function settle(outcome: CallOutcome): void {
      settled = true
      clearTimeout(timer)
      resolve(outcome)
    }
    // Once the response is there its own events tell how it goes on: an error of the call after a complete body, such as
    // bytes beyond the announced length, must not destroy it.
    function fail(reason: string, cause?: unknown, isStale = false): void {
      if (settled) return
      settle({ ok: false, connected, isStale, reason, cause })
      request.destroy()
    }
    function begin(socket: Socket): void {
      // The list of addresses was vetted; this is what we are really connected to.
      const peer = socket.remoteAddress ?? ''
      // wall: a connection that ends at a private address after all
      if (!target.url.exempt && (!isPublicAddress(peer) || isBlocked(peer, network.blockedNetworks))) {
        return fail('is not on the public internet', new Error(`connected to ${socket.remoteAddress}`))
      }
      connected = true
      clearTimeout(timer)
      // wall: a server that never answers
      timer = setTimeout(() => fail('did not answer in time'), call.headersMs)
    }

    request.once('socket', (socket: Socket) => {
      if (request.reusedSocket) return begin(socket)
      outliveBrokenWrites(socket)
      socket.once('connect', () => begin(socket))
    })
    request.once('response', (response) => {
      settle({ ok: true, response, body: new JoinedBody(response, call.toll ?? processToll) })
    })
    request.on('information', () => {
      interimAnswers += 1
      // wall: interim answers without end
      if (interimAnswers > MAX_INTERIM_ANSWERS) fail('did not give a final answer')
    })
    // Without a listener a 101 answer closes the call with neither a response nor an error.
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      // wall: an answer that switches protocols
      fail('answered with status 101')
    })
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(reasonOf(error, connected), error, request.reusedSocket && !call.signal.aborted),
    )
    request.once('close', () => fail('closed the connection without an answer', undefined, request.reusedSocket))
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
  // Node asks no lookup for an address, so an address must have been checked already: `checkUrl` did.
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
    // wall: a proxy from the environment, and connections that accounts share
    agent: call.connections?.agentFor(target) ?? false,
    // wall: a name that changes its address
    lookup: pinned,
    signal: call.signal,
    // wall: headers without end
    maxHeaderSize: MAX_HEADER_BYTES,
    // Of the socket too: while it is paused it holds what was read at once, and not 64 Ki single bytes.
    // wall: single bytes that a stopped socket collects
    highWaterMark: 1,
    ...(url.secure && {
      // wall: a certificate that is not trusted, or of another name
      servername: isIP(url.hostname) === 0 ? url.hostname : '',
      ...(network.certificateAuthorities !== undefined && { ca: network.certificateAuthorities }),
    }),
  }
}

function reasonOf(error: NodeJS.ErrnoException, connected: boolean): string {
  const code = error.code ?? ''
  if (!connected) return 'did not accept a connection'
  if (code.startsWith('HPE_')) return 'did not answer in valid HTTP'
  if (/CERT|SIGNED|SSL|TLS|ALTNAME/.test(code)) return 'has no valid TLS certificate'
  return 'closed the connection without an answer'
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { metricsOf } from '../telemetry/metrics.ts'
import { clientPrefix } from './client-address.ts'

export type ConnectionBounds = {
  /** If bytes are queued for a client, and the client accepts no byte for this time, the connection is closed. */
  sendTimeoutMs: number
  maxConnections: number
  maxConnectionsPerAddress: number
  maxQueuedBytes: number
  maxQueuedBytesPerAddress: number
  /** Returns whether many clients share an address. The limits per address do not apply to a shared address. */
  isShared: (address: string) => boolean
  clock?: BoundsClock
}

type BoundsClock = { now: () => number; checkEveryMs: number }

export const QUEUE_BOUNDS = {
  sendTimeoutMs: 30_000,
  maxQueuedBytes: 256 * 1024 * 1024,
  maxQueuedBytesPerAddress: 32 * 1024 * 1024,
} as const

/** How long a connection over a limit stays open, so that the first call on the connection gets an error. */
const REJECTED_MS = 2_000

/** How long the computed sum of all queued bytes is reused. */
const SUM_MS = 100

/** The maximum number of pipelined calls on a connection that wait for the response to an earlier call. */
const MAX_WAITING = 64

/** If a parser callback returns this value, Node's parser fails with HPE_CB_HEADERS_COMPLETE. */
const PARSE_ERROR = -1

/** Health checks are allowed over the limits. Otherwise, an attack could make an orchestrator restart the server. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz'])

type Connection = {
  socket: Socket
  address: string | undefined
  rejection: ApiError | undefined
  isBusy: boolean
  waiting: { call: IncomingMessage; response: ServerResponse }[]
  accepted: string
  acceptedAt: number
}

export function boundConnections(app: FastifyInstance, bounds: ConnectionBounds, registry: Registry): void {
  const { server } = app
  const connections = new Map<Socket, Connection>()
  const perAddress = new Map<string, number>()
  const closed = measure(registry, connections)
  const { now, checkEveryMs } = bounds.clock ?? {
    now: () => performance.now(),
    checkEveryMs: bounds.sendTimeoutMs / 6,
  }
  let queued = { at: Number.NEGATIVE_INFINITY, perAddress: new Map<string, number>() }

  server.on('connection', (socket: Socket) => {
    const ip = socket.remoteAddress ?? ''
    const address = bounds.isShared(ip) ? undefined : clientPrefix({ ip })
    const own = address === undefined ? 0 : (perAddress.get(address) ?? 0)
    const rejection = rejectionOf(connections.size, own, bounds)
    connections.set(socket, {
      socket,
      address,
      rejection,
      isBusy: false,
      waiting: [],
      accepted: '',
      acceptedAt: 0,
    })
    if (address !== undefined) perAddress.set(address, own + 1)
    const late = rejection === undefined ? undefined : setTimeout(() => socket.destroy(), REJECTED_MS).unref()
    if (rejection !== undefined) closed('too_many')
    socket.once('close', () => {
      clearTimeout(late)
      connections.delete(socket)
      if (address === undefined) return
      const left = (perAddress.get(address) ?? 1) - 1
      if (left > 0) perAddress.set(address, left)
      else perAddress.delete(address)
    })
  })
  // Above twice the limit, Node closes connections without a response, because each uses a file descriptor.
  server.maxConnections = 2 * bounds.maxConnections

  // Node parses pipelined calls early, so a client that does not read could queue many responses.
  const handlers = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (call: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(call.socket)
    if (connection === undefined || connection.socket.destroyed) return
    connection.waiting.push({ call, response })
    if (!connection.isBusy) startNext(connection)
    if (connection.waiting.length <= MAX_WAITING) return
    closed('pipelined')
    closeNow(connection.socket)
  })

  app.addHook('onRequest', async (call, reply) => {
    const connection = connections.get(call.raw.socket)
    if (connection === undefined || PROBES.has(call.routeOptions.url ?? '')) return
    const rejection = connection.rejection ?? tooManyBytes(connection)
    if (rejection === undefined) return
    reply.raw.shouldKeepAlive = false
    throw rejection
  })

  const checking = setInterval(() => {
    closeStalled()
    sumQueued()
  }, checkEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(checking))

  function startNext(connection: Connection): void {
    const next = connection.waiting.shift()
    connection.isBusy = next !== undefined && connection.socket.writable
    if (next === undefined || !connection.isBusy) return
    next.response.once('close', () => startNext(connection))
    for (const handle of handlers) handle.call(server, next.call, next.response)
  }

  function closeStalled(): void {
    const time = now()
    for (const connection of connections.values()) {
      const { socket } = connection
      const accepted = acceptedBy(socket)
      if (socket.writableLength === 0 || accepted !== connection.accepted) {
        connection.accepted = accepted
        connection.acceptedAt = time
      } else if (time - connection.acceptedAt >= bounds.sendTimeoutMs) {
        closed('not_reading')
        socket.resetAndDestroy()
      }
    }
  }

  function tooManyBytes({ address }: Connection): ApiError | undefined {
    if (now() - queued.at > SUM_MS) sumQueued()
    if (address === undefined || (queued.perAddress.get(address) ?? 0) <= bounds.maxQueuedBytesPerAddress)
      return undefined
    return new ApiError(
      'rate_limited',
      `Your address has more than ${bounds.maxQueuedBytesPerAddress} bytes of unread responses. Read the open responses first.`,
      { retryAfterSeconds: Math.ceil(bounds.sendTimeoutMs / 1_000) },
    )
  }

  /** Sums the queued bytes. If the sum exceeds `maxQueuedBytes`, closes the connections with the largest queues. */
  function sumQueued(): void {
    const sums = new Map<string, number>()
    let total = 0
    for (const connection of connections.values()) {
      const bytes = connection.socket.writableLength
      total += bytes
      if (connection.address !== undefined) sums.set(connection.address, (sums.get(connection.address) ?? 0) + bytes)
    }
    queued = { at: now(), perAddress: sums }
    if (total <= bounds.maxQueuedBytes) return
    const longest = [...connections.values()].toSorted((a, b) => b.socket.writableLength - a.socket.writableLength)
    for (const connection of longest) {
      if (total <= bounds.maxQueuedBytes) return
      total -= connection.socket.writableLength
      closed('queued_bytes')
      connection.socket.resetAndDestroy()
    }
  }
}

/** Closes a connection and its parser. `destroy` alone lets the parser create thousands of pipelined calls. */
function closeNow(socket: Socket): void {
  const parser = 'parser' in socket ? (socket.parser as { onIncoming: () => number } | null) : null
  if (parser !== null) parser.onIncoming = () => PARSE_ERROR
  socket.destroy()
}

function rejectionOf(all: number, own: number, bounds: ConnectionBounds): ApiError | undefined {
  const retry = { retryAfterSeconds: 1 }
  if (own >= bounds.maxConnectionsPerAddress) {
    const message = `At most ${bounds.maxConnectionsPerAddress} connections may be open from one address. Reuse open connections.`
    return new ApiError('rate_limited', message, retry)
  }
  if (all < bounds.maxConnections) return undefined
  return new ApiError('rate_limited', `This process has ${bounds.maxConnections} open connections. Try again.`, retry)
}

function acceptedBy(socket: Socket): string {
  const handle = '_handle' in socket ? (socket._handle as { writeQueueSize?: number } | null) : null
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize ?? 0}`
}

type Reason = 'not_reading' | 'pipelined' | 'queued_bytes' | 'too_many'

function measure(registry: Registry, connections: Map<Socket, Connection>): (reason: Reason) => void {
  const { counter, gauge } = metricsOf(registry)
  gauge('http_connections', 'Open client connections.', [], (metric) => {
    metric.set(connections.size)
  })
  const closed = counter(
    'http_connections_closed_total',
    'Connections closed by a limit: not_reading (30 s), pipelined (more than 64 waiting calls), queued_bytes, too_many.',
    ['reason'],
  )
  return (reason) => closed.inc({ reason })
}

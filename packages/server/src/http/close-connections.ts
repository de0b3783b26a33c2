import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const CHECK_INTERVAL_MS = 250

/** How long a stopping server waits for the next byte: longer for a body, because a proxy cannot repeat a POST. */
const IDLE_LIMITS = { headMs: 500, bodyMs: 5_000 }

/**
 * Closes the connections of a server that stops. Closes the connection of an incomplete call early if no byte arrives
 * for the time in `quiet`, because Node's own timeouts no longer run. Received bytes that the server has not read yet
 * keep the connection open.
 */
export function closeConnectionsAtStop(app: FastifyInstance, graceMs: number, limits = IDLE_LIMITS): void {
  const { server } = app
  const calls = trackCalls(server)
  app.addHook('preClose', async () => {
    const stoppedAt = performance.now()
    const closeIdle = () => {
      const now = performance.now()
      for (const [socket, connection] of calls) {
        const { call, bytes } = connection
        if (call?.complete === true) continue
        // Bytes of an incomplete header do not count as activity, because a client could send them one by one.
        if (call !== undefined && (socket.bytesRead !== bytes || call.readableLength > 0))
          Object.assign(connection, { bytes: socket.bytesRead, since: now })
        const silentMs = now - Math.max(connection.since, stoppedAt)
        if (silentMs >= (call === undefined ? limits.headMs : limits.bodyMs)) socket.destroy()
      }
    }
    // `setImmediate` lets Node first parse calls that have already arrived.
    const checking = setInterval(() => setImmediate(closeIdle), CHECK_INTERVAL_MS).unref()
    const late = setTimeout(() => server.closeAllConnections(), graceMs).unref()
    server.once('close', () => {
      clearInterval(checking)
      clearTimeout(late)
    })
    stopListening(server)
    if ([...calls.values()].some(({ call }) => call?.complete !== true)) await delay(limits.headMs)
  })
}

/** Stops listening. Idle connections stay open until Fastify's `close`, because a client may be sending a call. */
function stopListening(server: Server): void {
  let hasEnded = false
  NetServer.prototype.close.call(server, () => {
    hasEnded = true
  })
  server.close = (done) => {
    server.closeIdleConnections()
    if (hasEnded) done?.()
    else if (done !== undefined) server.once('close', () => done())
    return server
  }
}

/** A client's connection. `since`: when it was last active. `bytes`: how many bytes it had received at that time. */
type Connection = { call?: IncomingMessage; since: number; bytes: number }

function trackCalls(server: Server): Map<Socket, Connection> {
  const calls = new Map<Socket, Connection>()
  const put = (socket: Socket, call?: IncomingMessage) =>
    calls.set(socket, { ...(call && { call }), since: performance.now(), bytes: socket.bytesRead })
  server.on('connection', (socket) => {
    put(socket)
    socket.once('close', () => calls.delete(socket))
  })
  server.on('request', (call, reply) => {
    const { socket } = call
    put(socket, call)
    reply.once('finish', () => {
      if (calls.get(socket)?.call === call) put(socket)
    })
  })
  return calls
}

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const LOOK_MS = 250

/** How long an incomplete call can stay silent after a stop, because a proxy cannot repeat a POST elsewhere. */
const QUIET_MS = 500

/**
 * Closes the connections of a stopping server: after `graceMs`, and silent incomplete calls earlier, because Node no
 * longer limits their time.
 */
export function closeConnectionsAtStop(app: FastifyInstance, graceMs: number): void {
  const { server } = app
  const calls = trackCalls(server)
  app.addHook('preClose', async () => {
    const stoppedAt = performance.now()
    const closeQuiet = () => {
      for (const [socket, { call, since }] of calls)
        if (call?.complete !== true && performance.now() - Math.max(since, stoppedAt) >= QUIET_MS) socket.destroy()
    }
    // Calls that have arrived are parsed first.
    const looking = setInterval(() => setImmediate(closeQuiet), LOOK_MS).unref()
    const late = setTimeout(() => server.closeAllConnections(), graceMs).unref()
    server.once('close', () => {
      clearInterval(looking)
      clearTimeout(late)
    })
    stopListening(server)
    if ([...calls.values()].some(({ call }) => call?.complete !== true)) await delay(QUIET_MS)
  })
}

/** Stops accepting connections, but keeps idle ones for calls on their way, until Fastify's `close`. */
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

type Connection = { call?: IncomingMessage; since: number }

function trackCalls(server: Server): Map<Socket, Connection> {
  const calls = new Map<Socket, Connection>()
  const put = (socket: Socket, carried: Omit<Connection, 'since'> = {}) =>
    calls.set(socket, { ...carried, since: performance.now() })
  server.on('connection', (socket) => {
    put(socket)
    socket.once('close', () => calls.delete(socket))
  })
  server.on('request', (call, reply) => {
    const { socket } = call
    put(socket, { call })
    reply.once('finish', () => {
      if (calls.get(socket)?.call === call) put(socket)
    })
  })
  return calls
}

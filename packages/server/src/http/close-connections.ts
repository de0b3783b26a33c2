import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How often a stopping server looks for connections that nobody is waiting on any more. */
const LOOK_MS = 250

/**
 * How long a connection without a whole call is kept after a stop, even if it was idle before. A call may be on its way on it: a proxy that loses a connection
 * under a POST cannot send the POST to another server. Meanwhile each response closes its connection.
 */
const QUIET_MS = 500

/**
 * Lets a stopping server answer the calls it has, and no more.
 *
 * Node waits for every connection that it takes for busy, among them those that never sent a call, and no longer bounds
 * how long a call may take to arrive: one silent connection would hold the stop up for good. What is still being
 * answered after `graceMs` is broken off.
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
    // After the turn in which calls that have arrived already are read.
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

/**
 * Stops listening and keeps the idle connections, on which a call may be on its way. A proxy then finds out before it sends a
 * call. Fastify's own `close`, which follows, closes what is idle by then and waits for the rest.
 */
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

/** A connection: the call that it carries, and since when it carries it, or none. */
type Connection = { call?: IncomingMessage; since: number }

/** Every connection, with the call that is being answered on it. */
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

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How often a stopping server looks for connections that nobody is waiting on any more. */
const LOOK_MS = 250

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
    const closeQuiet = () => {
      for (const [socket, call] of calls) if (call?.complete !== true) socket.destroy()
    }
    const looking = setInterval(closeQuiet, LOOK_MS).unref()
    const late = setTimeout(() => server.closeAllConnections(), graceMs).unref()
    server.once('close', () => {
      clearInterval(looking)
      clearTimeout(late)
    })
    closeQuiet()
  })
}

/** Every connection, with the call that is being answered on it. */
function trackCalls(server: Server): Map<Socket, IncomingMessage | undefined> {
  const calls = new Map<Socket, IncomingMessage | undefined>()
  server.on('connection', (socket) => {
    calls.set(socket, undefined)
    socket.once('close', () => calls.delete(socket))
  })
  server.on('request', (call, reply) => {
    const { socket } = call
    calls.set(socket, call)
    reply.once('finish', () => {
      if (calls.get(socket) === call) calls.set(socket, undefined)
    })
  })
  return calls
}

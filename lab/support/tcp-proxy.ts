import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A TCP proxy on loopback with one target, like an HAProxy in front of a primary database. */
export type TcpProxy = AsyncDisposable & {
  port: number
  /** Sends new connections to another port on loopback. Closes all open connections. */
  lead: (port: number) => void
}

/** Starts a proxy to a port of loopback. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let to = target
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      to = port
      closeAll()
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      closeAll()
      await closed
    },
  }
}

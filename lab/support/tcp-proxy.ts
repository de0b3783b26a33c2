import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** The open sockets of a proxy. `pair` closes both ends of a connection together. */
export class ProxySockets {
  readonly #open = new Set<Socket>()

  pair(client: Socket, upstream: Socket): void {
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.track(one)
      one.on('close', () => other.destroy())
    }
  }

  /** Closes a socket after an error, and with all other sockets of the proxy. */
  track(socket: Socket): void {
    this.#open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#open.delete(socket))
  }

  closeAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  async stop(server: Server): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    this.closeAll()
    await closed
  }
}

/** A TCP proxy on loopback with one target, like an HAProxy in front of a primary database. */
export type TcpProxy = AsyncDisposable & {
  port: number
  /** Sends new connections to another port on loopback. Closes all open connections. */
  lead: (port: number) => void
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new ProxySockets()
  let to = target
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    sockets.pair(client, upstream)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      to = port
      sockets.closeAll()
    },
    [Symbol.asyncDispose]: () => sockets.stop(server),
  }
}

/** A proxy on loopback. It closes each connection after `nextCut()` bytes from the client, and counts these cuts. */
type CuttingProxy = AsyncDisposable & { url: string; cuts: number }

/** Starts a proxy to `target`. If `nextCut` returns `undefined`, the connection stays open. */
export async function startCuttingProxy(target: string, nextCut: () => number | undefined): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new ProxySockets()
  const server = createServer((client) => {
    const service = connect(Number(port), hostname)
    const limit = nextCut()
    let bytes = 0
    sockets.pair(client, service)
    service.pipe(client)
    client.on('data', (chunk) => {
      const room = limit === undefined ? chunk.length : Math.min(chunk.length, limit - bytes)
      bytes += chunk.length
      service.write(chunk.subarray(0, Math.max(0, room)))
      if (limit === undefined || bytes < limit) return
      proxy.cuts += 1
      client.pause()
      service.end()
      client.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: 0,
    [Symbol.asyncDispose]: () => sockets.stop(server),
  }
  return proxy
}

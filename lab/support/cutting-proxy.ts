import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** A proxy on loopback. It closes each connection after `nextCut()` bytes from the client, and counts these cuts. */
type CuttingProxy = AsyncDisposable & { url: string; cuts: number }

/** Starts the proxy in front of `target`. If `nextCut` returns `undefined`, the connection stays open. */
export async function startCuttingProxy(target: string, nextCut: () => number | undefined): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const service = connect(Number(port), hostname)
    const limit = nextCut()
    let bytes = 0
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        client.destroy()
        service.destroy()
      })
    }
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
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

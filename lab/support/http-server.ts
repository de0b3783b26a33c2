import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on loopback. `host` is its address and port, as in `ALLOWED_PRIVATE_HOSTS`. */
export type HttpServer = AsyncDisposable & { port: number; host: string; url: string }

/** Starts a server on a free port, or on `port`. When it is disposed of, it closes all its connections. */
export async function startHttpServer(respond: RequestListener, port = 0): Promise<HttpServer> {
  const server = createServer(respond)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const own = (server.address() as AddressInfo).port
  const host = `127.0.0.1:${own}`
  return {
    port: own,
    host,
    url: `http://${host}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

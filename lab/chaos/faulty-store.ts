import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { ProxySockets } from '../support/tcp-proxy.ts'

export const FAILINGS = ['refuse', 'unavailable', 'hang'] as const
type Failing = (typeof FAILINGS)[number]

/** A proxy to an S3 server. A trial can make the proxy fail, so that its clients see an outage. */
export type FaultyStore = AsyncDisposable & {
  endpoint: string
  fail: (failing: Failing) => void
  /** Delays each chunk of a response by `ms` from now on. */
  delay: (ms: number) => void
  mend: () => void
}

const UNAVAILABLE = 'HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

/** Starts the proxy. Forwards bytes unchanged, so that signatures stay valid. */
export async function openFaultyStore(endpoint: string): Promise<FaultyStore> {
  const { hostname, port } = new URL(endpoint)
  const sockets = new ProxySockets()
  let failing: Failing | undefined
  let delayMs = 0

  const server = createServer((client) => {
    sockets.track(client)
    if (failing === 'refuse') return void client.destroy()
    if (failing === 'hang') return void client.resume()
    if (failing === 'unavailable') return void client.once('data', () => client.end(UNAVAILABLE)).resume()
    const there = connect(Number(port), hostname)
    sockets.track(there)
    client.pipe(there)
    if (delayMs === 0) there.pipe(client)
    else there.on('data', (piece) => setTimeout(() => client.write(piece), delayMs))
    client.on('close', () => there.destroy())
    const ms = delayMs
    there.on('close', () => setTimeout(() => client.destroy(), ms))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  /** Changes how the store fails. If `to` is `undefined`, the store works again. Closes all open connections. */
  function change(to: Failing | undefined, pieceDelayMs = 0): void {
    failing = to
    delayMs = pieceDelayMs
    sockets.closeAll()
  }

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (how) => change(how),
    delay: (ms) => change(undefined, ms),
    mend: () => change(undefined),
    [Symbol.asyncDispose]: () => sockets.stop(server),
  }
}

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:http'

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; raw: Buffer; at: number }

/** Responds to a call, or leaves the call without a response. `count` is the number of earlier calls at the path. */
type Respond = (response: ServerResponse, call: Received, count: number) => void

/** A server that the service calls: it serves sources, and receives results and webhooks. */
export type Receiver = AsyncDisposable & {
  open: (respond: Respond, suffix?: string) => OpenReceiver
}
type OpenReceiver = {
  url: string
  received: Received[]
  /** Waits for `count` calls. Rejects after `seconds`. */
  arrived: (count: number, seconds?: number) => Promise<Received[]>
}

const TIMEOUT_SECONDS = 30

/** Starts a receiver. The service calls it at the URL `reachedAt`, or by default at `listenOn`. */
export async function startReceiver(listenOn: string, reachedAt: string | undefined): Promise<Receiver> {
  const receivers = new Map<string, { respond: Respond; received: Received[]; notify: () => void }>()
  const server = createServer((call, response) => {
    const chunks: Buffer[] = []
    call.on('data', (chunk: Buffer) => chunks.push(chunk))
    call.on('end', () => {
      const { method = '', url: path = '', headers } = call
      const receiver = receivers.get(new URL(path, 'http://localhost').pathname)
      if (receiver === undefined) {
        response.writeHead(404).end()
        return
      }
      const one = { method, path, headers, raw: Buffer.concat(chunks), at: Date.now() }
      receiver.received.push(one)
      receiver.respond(response, one, receiver.received.length - 1)
      receiver.notify()
    })
  })
  const [, host = '127.0.0.1', port = '0'] = /^(?:(.*):)?(\d+)$/.exec(listenOn) ?? []
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(Number(port), host, resolve))
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  const base = (reachedAt ?? `http://${host}:${bound}`).replace(/\/$/, '')

  return {
    open(respond, suffix = '') {
      const path = `/${randomUUID()}${suffix}`
      const received: Received[] = []
      const waiting = new Set<() => void>()
      receivers.set(new URL(base + path).pathname, {
        respond,
        received,
        notify: () => waiting.forEach((check) => check()),
      })
      return {
        url: base + path,
        received,
        arrived: (count, seconds = TIMEOUT_SECONDS) =>
          new Promise((resolve, reject) => {
            const late = () =>
              reject(
                new Error(
                  `Only ${received.length} of ${count} expected calls to this machine arrived within ${seconds} s.`,
                ),
              )
            const timer = setTimeout(late, seconds * 1000)
            const check = () => {
              if (received.length < count) return
              clearTimeout(timer)
              waiting.delete(check)
              resolve(received)
            }
            waiting.add(check)
            check()
          }),
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { checkEvent } from './contract.ts'
import { startHttpServer } from './http-server.ts'
import { shared } from './shared.ts'

export type Received = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  raw: Buffer
  at: number
}

/** The response to an event: a status, or a function that responds. If it does not respond, the call hangs. */
export type Respond = number | ((received: Received, response: ServerResponse) => void)

/** A webhook receiver on loopback. Checks every event. If an event is invalid, reading the events throws. */
export type Receiver = AsyncDisposable & {
  url: (path?: string) => string
  /** The address and port of the receiver, as in `ALLOWED_PRIVATE_HOSTS`. */
  host: string
  received: Received[]
  respond: (respond: Respond) => void
  arrived: (count: number) => Promise<Received[]>
}

export async function startReceiver(first: Respond = 204): Promise<Receiver> {
  const received: Received[] = []
  let waiting: { count: number; resolve: () => void }[] = []
  let respond = first
  const faults: unknown[] = []
  const server = await startHttpServer((call, response) => {
    const chunks: Buffer[] = []
    call.on('data', (chunk: Buffer) => chunks.push(chunk))
    call.on('end', () => {
      const { method = '', url: path = '', headers } = call
      const one = { method, path, headers, raw: Buffer.concat(chunks), at: Date.now() }
      received.push(one)
      try {
        if (headers['service-event-id'] !== undefined) checkEvent(one.raw)
      } catch (fault) {
        faults.push(fault)
      }
      if (typeof respond === 'number') response.writeHead(respond).end()
      else respond(one, response)
      for (const { count, resolve } of waiting) if (received.length >= count) resolve()
      waiting = waiting.filter(({ count }) => received.length < count)
    })
  })
  const whatCame = () => {
    if (faults.length > 0) throw faults[0]
    return received
  }
  return {
    host: server.host,
    url: (path = '/') => server.url + path,
    get received() {
      return whatCame()
    },
    respond: (next) => {
      respond = next
    },
    async arrived(count) {
      if (received.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
      return whatCame()
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

export const sharedReceiver = async (first: Respond = 204): Promise<Receiver> => shared(await startReceiver(first))

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** How often a silent stream pings. Below 30 s, the shortest time after which proxies drop a silent connection. */
export const PING_MS = 15_000

/** What `EventSource` needs to be told: never kept, never changed on the way, never gathered by nginx. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** An answer of server-sent events, sent piece by piece; disposing of it ends it. */
export class EventStream implements Disposable {
  readonly #raw: ServerResponse

  /** Takes the answer over: from now on nobody else sends it. */
  constructor(reply: FastifyReply) {
    reply.hijack()
    this.#raw = reply.raw
    // An answer that cannot be sent has no client any more.
    this.#raw.on('error', () => this.#raw.destroy())
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...HEADERS })) {
      if (value !== undefined) this.#raw.setHeader(name, value)
    }
    this.#raw.writeHead(200)
  }

  /** Tells the client how long to wait before it comes back after the end of a stream. */
  async retryAfter(ms: number): Promise<void> {
    await this.#write(`retry: ${ms}\n\n`)
  }

  async send(event: { name: string; id: number; data: object }): Promise<void> {
    // JSON has no line breaks of its own.
    await this.#write(`event: ${event.name}\nid: ${event.id}\ndata: ${JSON.stringify(event.data)}\n\n`)
  }

  async ping(): Promise<void> {
    await this.#write(': ping\n\n')
  }

  [Symbol.dispose](): void {
    if (this.#raw.writableNeedDrain) this.#raw.destroy()
    else this.#raw.end()
  }

  /**
   * Resolves when the next event can be sent, so that at most one event waits for a slow client. The send timeout of the
   * server closes the connection of a client that reads nothing.
   */
  async #write(text: string): Promise<void> {
    const raw = this.#raw
    if (raw.destroyed || raw.write(text)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const name of ['drain', 'close']) raw.once(name, resolve)
    try {
      await promise
    } finally {
      for (const name of ['drain', 'close']) raw.off(name, resolve)
    }
  }
}

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** How often a silent stream pings, and how long a client may take to read. */
export type StreamPace = { pingMs: number; readMs: number }

/** Below 30 s, the shortest time after which proxies drop a silent connection. */
export const STREAM_PACE: StreamPace = { pingMs: 15_000, readMs: 30_000 }

/** What `EventSource` needs to be told: never kept, never changed on the way, never gathered by nginx. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** An answer of server-sent events, sent piece by piece; disposing of it ends it. */
export class EventStream implements Disposable {
  readonly #raw: ServerResponse
  readonly #readMs: number

  /** Takes the answer over: from now on nobody else sends it. */
  constructor(reply: FastifyReply, { readMs }: Pick<StreamPace, 'readMs'>) {
    reply.hijack()
    this.#raw = reply.raw
    this.#readMs = readMs
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

  /** Resolves once the next piece may be sent: a client that reads nothing has one piece at most waiting for it. */
  async #write(text: string): Promise<void> {
    const raw = this.#raw
    if (raw.destroyed || raw.write(text)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    // wall: a client that reads nothing of its stream
    const late = setTimeout(() => raw.destroy(), this.#readMs)
    for (const name of ['drain', 'close']) raw.once(name, resolve)
    try {
      await promise
    } finally {
      clearTimeout(late)
      for (const name of ['drain', 'close']) raw.off(name, resolve)
    }
  }
}

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { discardBody } from '../../discard-body.ts'

/** The interval of pings. Some proxies close a connection after 30 s without data. */
export const PING_MS = 15_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

export class EventStream implements Disposable {
  readonly #raw: ServerResponse

  constructor(reply: FastifyReply) {
    reply.hijack()
    this.#raw = reply.raw
    discardBody(reply.request.raw, reply)
    // An error of the response means that the client has disconnected.
    this.#raw.on('error', () => this.#raw.destroy())
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...HEADERS })) {
      if (value !== undefined) this.#raw.setHeader(name, value)
    }
    this.#raw.writeHead(200)
  }

  async retryAfter(ms: number): Promise<void> {
    await this.#write(`retry: ${ms}\n\n`)
  }

  async send(event: { name: string; id: number; data: object }): Promise<void> {
    // The data is on one line, because `JSON.stringify` never adds line breaks.
    await this.#write(`event: ${event.name}\nid: ${event.id}\ndata: ${JSON.stringify(event.data)}\n\n`)
  }

  async ping(): Promise<void> {
    await this.#write(': ping\n\n')
  }

  [Symbol.dispose](): void {
    if (this.#raw.writableNeedDrain) this.#raw.destroy()
    else this.#raw.end()
  }

  /** Resolves when the client can receive the next event, so that at most one event is queued for a slow client. */
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

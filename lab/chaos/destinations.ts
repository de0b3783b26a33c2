import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { startHttpServer } from '../support/http-server.ts'

export type DestinationKind = 'willing' | 'failing' | 'breaking' | 'denying'

/** Buckets of clients, served on loopback. Each planned request has its own path. */
export type Destinations = AsyncDisposable & {
  host: string
  url: (plan: number, kind: DestinationKind) => string
  /** Returns the SHA-256 digests of the complete files that the bucket accepted for a plan, in order of arrival. */
  taken: (plan: number) => string[]
}

/** Starts the buckets. `failing` and `breaking` buckets fail the first call, and then accept the file. */
export async function openDestinations(): Promise<Destinations> {
  const taken = new Map<string, string[]>()
  const tries = new Map<string, number>()

  function take(call: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(call.url ?? '/', 'http://loopback')
    const number = (tries.get(pathname) ?? 0) + 1
    tries.set(pathname, number)
    const kind =
      number === 1 ? searchParams.get('kind') : searchParams.get('kind') === 'denying' ? 'denying' : 'willing'
    if (kind === 'breaking') return void call.once('data', () => call.socket.destroy())
    const hash = createHash('sha256')
    let bytes = 0
    call.on('data', (piece: Buffer) => {
      hash.update(piece)
      bytes += piece.length
    })
    call.on('error', () => {})
    call.on('end', () => {
      const isWhole = call.complete && bytes === Number(call.headers['content-length'])
      const status = kind === 'denying' ? 403 : kind === 'failing' || !isWhole ? 503 : 201
      if (status === 201) taken.set(pathname, [...(taken.get(pathname) ?? []), hash.digest('hex')])
      response.writeHead(status).end()
    })
  }

  const server = await startHttpServer(take)
  return {
    host: server.host,
    url: (plan, kind) => `${server.url}/${plan}?kind=${kind}&signature=secret`,
    taken: (plan) => taken.get(`/${plan}`) ?? [],
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseRange } from '../../store/range-header.ts'

/** Some local files, served on loopback. */
export type LoopbackFiles = AsyncDisposable & {
  /** Host and port in the form of `ALLOWED_PRIVATE_HOSTS`. */
  host: string
  /** Returns the URL of one of the files by its path. */
  urlOf: (path: string) => string
}

/** Serves only these files, under random paths, because other users of the machine can reach loopback too. */
export async function serveFiles(paths: readonly string[]): Promise<LoopbackFiles> {
  const routes = new Map(paths.map((path) => [path, `/${randomUUID()}/${encodeURIComponent(basename(path))}`]))
  const files = new Map([...routes].map(([path, route]) => [route, path]))
  const server = createServer((call, reply) => {
    // A client that disconnects, or a file that vanishes, ends only this response.
    send(files.get(call.url ?? ''), call, reply).catch(() => reply.destroy())
  })
  const host = `127.0.0.1:${await listen(server)}`
  return {
    host,
    urlOf(path) {
      const route = routes.get(path)
      if (route === undefined) throw new RangeError('this file is not served')
      return `http://${host}${route}`
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** Returns a free port of loopback. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  const port = await listen(probe)
  await close(probe)
  return port
}

async function send(path: string | undefined, call: IncomingMessage, reply: ServerResponse): Promise<void> {
  if (path === undefined) {
    reply.writeHead(404).end()
    return
  }
  const { size, mtimeMs } = await stat(path)
  const etag = `"${size}-${mtimeMs}"`
  const ifRange = call.headers['if-range']
  const range = parseRange(call.headers.range, size, typeof ifRange === 'string' ? ifRange : undefined, etag)
  if (range.kind === 'unsatisfiable') {
    reply.writeHead(416, { 'content-range': `bytes */${size}` }).end()
    return
  }
  const { start, end } = range.kind === 'part' ? range : { start: 0, end: size - 1 }
  reply.writeHead(range.kind === 'part' ? 206 : 200, {
    'accept-ranges': 'bytes',
    'content-length': end - start + 1,
    etag,
    ...(range.kind === 'part' && { 'content-range': `bytes ${start}-${end}/${size}` }),
  })
  if (call.method === 'HEAD' || size === 0) reply.end()
  else await pipeline(createReadStream(path, { start, end }), reply)
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

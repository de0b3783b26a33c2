import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { startHttpServer } from './http-server.ts'
import { shared } from './shared.ts'

/** The bytes of a file, or a function that sends a response. */
export type SourceHandler = Buffer | ((call: IncomingMessage, response: ServerResponse) => void)

type SourceServerOptions = {
  ranges?: boolean
  headers?: Record<string, string>
}

export type SourceServer = AsyncDisposable & {
  url: (path: string) => string
  /** The address and port of the server, as in `ALLOWED_PRIVATE_HOSTS`. */
  host: string
  port: number
  /** The files by path. A test may change them while the server runs. */
  files: Map<string, SourceHandler>
  calls: { method: string; path: string; headers: IncomingMessage['headers'] }[]
  sent: { bytes: number }
}

export async function startSourceServer(
  files: Record<string, SourceHandler> = {},
  options: SourceServerOptions = {},
): Promise<SourceServer> {
  const known = new Map(Object.entries(files))
  const calls: SourceServer['calls'] = []
  const sent = { bytes: 0 }
  const server = await startHttpServer((call, response) => {
    const path = call.url ?? '/'
    calls.push({ method: call.method ?? '', path, headers: call.headers })
    const file = known.get(path)
    if (file === undefined) response.writeHead(404).end()
    else if (Buffer.isBuffer(file)) sent.bytes += sendSource(file, call, response, options)
    else file(call, response)
  })
  return { ...server, url: (path) => server.url + path, files: known, calls, sent }
}

export const sharedSourceServer = async (...given: Parameters<typeof startSourceServer>): Promise<SourceServer> =>
  shared(await startSourceServer(...given))

/** Sends a file, or the requested range. Returns the number of body bytes. */
export function sendSource(
  file: Buffer,
  call: IncomingMessage,
  response: ServerResponse,
  options: SourceServerOptions = {},
): number {
  const etag = `"${file.length}-${file.subarray(0, 64).toString('base64url')}"`
  const headers = { etag, 'content-type': 'application/octet-stream', ...options.headers }
  const ifRange = call.headers['if-range']
  const wanted = options.ranges === false ? null : /^bytes=(\d+)-(\d*)$/.exec(call.headers.range ?? '')
  if (wanted === null || (ifRange !== undefined && ifRange !== etag)) {
    response.writeHead(200, { ...headers, 'content-length': file.length }).end(call.method === 'HEAD' ? '' : file)
    return file.length
  }
  const start = Number(wanted[1])
  const end = Math.min(wanted[2] === '' ? file.length : Number(wanted[2]) + 1, file.length)
  if (start >= file.length) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
    return 0
  }
  const range = { 'content-range': `bytes ${start}-${end - 1}/${file.length}`, 'content-length': end - start }
  response.writeHead(206, { ...headers, ...range }).end(file.subarray(start, end))
  return end - start
}

/** A server that sends raw bytes, which may be invalid HTTP. */
export type RawServer = AsyncDisposable & { url: string; host: string; port: number; connections: { count: number } }

/** Starts a server that calls `talk` for each connection when the client has sent its first bytes. */
export async function startRawServer(talk: (socket: Socket, connection: number) => void): Promise<RawServer> {
  const open = new Set<Socket>()
  const connections = { count: 0 }
  const server = createServer((socket) => {
    connections.count += 1
    const connection = connections.count
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.once('data', () => talk(socket, connection))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    host: `127.0.0.1:${port}`,
    port,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

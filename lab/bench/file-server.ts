import { fork } from 'node:child_process'
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A file server in its own process, so that benchmarks do not count its CPU time. */
type FileServer = Disposable & {
  host: string
  url: (name: string) => string
  /** Returns the number of body bytes sent since the previous call. */
  sentBytes(): Promise<number>
}

export async function startFileServer(folder: string): Promise<FileServer> {
  const child = fork(import.meta.filename, [folder])
  const next = () => new Promise<number>((resolve) => child.once('message', (value) => resolve(Number(value))))
  const host = `127.0.0.1:${await next()}`
  return {
    host,
    url: (name) => `http://${host}/${name}`,
    async sentBytes() {
      const response = next()
      child.send('sent')
      return await response
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}

function serve(folder: string): void {
  let sent = 0
  const server = createServer((call, response) => {
    const path = join(folder, (call.url ?? '').replaceAll('/', ''))
    const { size } = statSync(path)
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(call.headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    const end = Math.min(size, to === undefined || to === '' ? size : Number(to) + 1)
    response.writeHead(from === undefined ? 200 : 206, {
      'accept-ranges': 'bytes',
      'content-length': end - start,
      etag: `"${size}"`,
      ...(from !== undefined && { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    })
    const stream = createReadStream(path, { start, end: end - 1 })
    stream.on('data', (chunk) => {
      sent += chunk.length
    })
    stream.on('error', () => response.destroy())
    response.on('close', () => stream.destroy())
    stream.pipe(response)
  })
  process.on('message', () => {
    process.send?.(sent)
    sent = 0
  })
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

if (process.argv[1] === import.meta.filename && process.argv[2] !== undefined) serve(process.argv[2])

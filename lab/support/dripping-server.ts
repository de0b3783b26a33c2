import type { Socket } from 'node:net'
import type { RawServer } from './source-server.ts'
import { startRawServer } from './source-server.ts'

const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n'

/** Encodes each byte as one HTTP chunk, with five bytes of framing. */
const inChunks = (body: Buffer): Buffer => {
  const framed = Buffer.from('1\r\n \r\n'.repeat(body.length))
  for (const [index, value] of body.entries()) framed[index * 6 + 3] = value
  return framed
}

export const startDrippingServer = (body: Buffer, headers = ''): Promise<RawServer> => {
  const framed = inChunks(body)
  return startRawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${headers}${CHUNKED}`)
    socket.write(framed)
    socket.end('0\r\n\r\n')
  })
}

export function writeOn(socket: Socket, bytes: Buffer | string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes)) {}
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}

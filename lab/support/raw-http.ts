import type { Socket } from 'node:net'
import { connect } from 'node:net'

export type RawResponse = { status: number; headers: Record<string, string>; body: string }

/** A connection that sends bytes unchanged. Reconnects if the server has closed the connection. */
type RawConnection = Disposable & {
  send: (bytes: Buffer | string, options?: { head?: boolean }) => Promise<RawResponse>
}

const TIMEOUT_MS = 60_000

export function openRawConnection(port: number): RawConnection {
  let socket: Socket | undefined
  return {
    async send(bytes, options = {}) {
      const used = socket?.writable === true ? socket : open(port)
      socket = used
      const response = await exchange(used, bytes, options.head === true)
      if (response.headers['connection'] === 'close') {
        used.destroy()
        socket = undefined
      }
      return response
    },
    [Symbol.dispose]: () => void socket?.destroy(),
  }
}

/** Opens a connection. Ignores errors, because the next call then fails anyway. */
const open = (port: number) => connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined)

async function exchange(socket: Socket, bytes: Buffer | string, head: boolean): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  let received = Buffer.alloc(0)
  const onData = (data: Buffer) => {
    received = Buffer.concat([received, data])
    const response = parse(received, head)
    if (response !== undefined) resolve(response)
  }
  const onEnd = () => reject(new Error(`the connection closed before a response to ${String(bytes).slice(0, 300)}`))
  const timer = setTimeout(() => reject(new Error(`no response to ${String(bytes).slice(0, 300)}`)), TIMEOUT_MS)
  socket.on('data', onData).on('error', onEnd).on('close', onEnd)
  socket.write(bytes)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.off('data', onData).off('error', onEnd).off('close', onEnd)
  }
}

function parse(received: Buffer, head: boolean): RawResponse | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const status = Number(first.slice(9, 12))
  if (status < 200) return parse(received.subarray(end + 4), head)
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const length = head || status === 204 || status === 304 ? 0 : Number(headers['content-length'])
  if (Number.isNaN(length)) {
    if (!received.subarray(end).toString('latin1').endsWith('0\r\n\r\n')) return undefined
    return { status, headers, body: received.toString('utf8', end + 4) }
  }
  if (received.length < end + 4 + length) return undefined
  return { status, headers, body: received.toString('utf8', end + 4, end + 4 + length) }
}

import type { ClientRequest } from 'node:http'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'

function begin(address: string, method: string, headers: Record<string, string | number>): ClientRequest {
  const url = new URL(address)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return send(url, { method, headers, agent: false })
}

/** A call with an incomplete body. `end` sends the rest. `status` is `undefined` if the connection ends too early. */
type SlowBody = { status: Promise<number | undefined>; end: (rest: string | Buffer) => void }

export function sendSlowly(
  url: string,
  { method, length, first, key }: { method: 'POST' | 'PUT'; length: number; first: string | Buffer; key?: string },
): SlowBody {
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    'content-type': 'image/png',
    'content-length': length,
  }
  const call = begin(url, method, headers)
  const status = new Promise<number | undefined>((resolve) => {
    call.on('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    call.on('error', () => resolve(undefined))
    call.on('close', () => resolve(undefined))
  })
  call.write(first)
  return { status, end: (rest) => void call.end(rest) }
}

/** Starts a call, and disconnects before the JSON body is complete. */
export async function breakOff(baseUrl: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 500 }
  const call = begin(`${baseUrl}/v1/images/read`, 'POST', headers)
  await new Promise<void>((resolve) => {
    call.on('error', () => resolve())
    call.on('close', () => resolve())
    call.write('{"source": ', () => call.destroy())
  })
}

/** Sends text over a connection of its own, and returns the whole response as text. */
export async function sendText(baseUrl: string, sent: string): Promise<string> {
  const { protocol, hostname, port } = new URL(baseUrl)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isSecure = protocol === 'https:'
  const isName = /[a-z]/i.test(host) && !host.includes(':')
  const address = { host, port: Number(port) || (isSecure ? 443 : 80), ...(isName && { servername: host }) }
  const socket = (isSecure ? new HttpsAgent() : new HttpAgent()).createConnection(address)
  if (socket === null || socket === undefined) throw new Error('the agent has opened no connection')
  socket.write(sent)
  // The service closes the connection, possibly with a reset.
  return await text(socket).catch((error: unknown) => String(error))
}

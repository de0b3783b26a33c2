import type { ClientRequest } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

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

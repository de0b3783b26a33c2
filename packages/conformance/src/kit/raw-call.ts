import type { ClientRequest } from 'node:http'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

/** A call whose body is sent piece by piece, on a connection of its own. */
function begin(baseUrl: string, path: string, headers: Record<string, string | number>): ClientRequest {
  const url = new URL(`${baseUrl}${path}`)
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return send(url, { method: 'POST', headers, agent: false })
}

/** A body on its way. `status` resolves to `undefined` when it is broken off. */
export type SlowBody = { status: Promise<number | undefined>; end: () => void }

/** Starts an upload of three bytes. The caller sends each byte. */
export function sendSlowly(baseUrl: string, key: string): SlowBody {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/png', 'content-length': 3 }
  const call = begin(baseUrl, '/v1/uploads', headers)
  const status = new Promise<number | undefined>((resolve) => {
    call.on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    call.on('error', () => resolve(undefined))
    call.on('close', () => resolve(undefined))
  })
  call.write('a')
  return { status, end: () => void call.end('bc') }
}

/** Begins to send a JSON body and hangs up in the middle of it. */
export async function breakOff(baseUrl: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': 500 }
  const call = begin(baseUrl, '/v1/images/read', headers)
  await new Promise<void>((resolve) => {
    call.on('error', () => resolve())
    call.on('close', () => resolve())
    call.write('{"source": ', () => call.destroy())
  })
}

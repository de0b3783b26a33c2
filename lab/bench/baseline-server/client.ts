import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchedService } from '../serve-for-bench.ts'

export type Way = 'polled' | 'waited'

const FIRST_POLL_MS = 10
const POLL_GROWTH = 1.3
const LAST_POLL_MS = 500

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

type CallResponse = { id: number; status: string; error?: object }

/** Waits until the job succeeds. Returns the number of polls. */
export async function runJob({ base, key }: BenchedService, path: string, body: object, way: Way): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, ...(way === 'waited' && { prefer: 'wait=50' }) }
  let response = await call('POST', `${base}${path}`, headers, JSON.stringify(body))
  let polls = 0
  for (let pauseMs = FIRST_POLL_MS; response.status !== 'succeeded'; ) {
    if (response.status === 'failed') throw new Error(JSON.stringify(response))
    response = await call('GET', `${base}/requests/${response.id}`, headers)
    polls += 1
    if (response.status === 'succeeded') break
    await delay(pauseMs)
    pauseMs = Math.min(pauseMs * POLL_GROWTH, LAST_POLL_MS)
  }
  return polls
}

async function call(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<CallResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<CallResponse>()
  const sent =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const outgoing = request(url, { method, agent, headers: { ...headers, ...sent } }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      if ((response.statusCode ?? 500) >= 300) reject(new Error(`${response.statusCode} ${text}`))
      else resolve(JSON.parse(text) as CallResponse)
    })
  })
  outgoing.on('error', reject)
  outgoing.end(body)
  return await promise
}

export async function each(count: number, atOnce: number, work: (number: number) => Promise<unknown>): Promise<void> {
  const numbers = Array(count).keys()
  const line = async () => {
    for (const number of numbers) await work(number)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, line))
}

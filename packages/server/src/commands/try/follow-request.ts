import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'

/**
 * The pauses between polls, which increase. A small image takes a second, and a paid account may make 120 calls a
 * minute (limits.rate.1).
 */
const FIRST_POLL_MS = 60
const LAST_POLL_MS = 3_000

const CALL_MS = 60_000

/** Metadata of a file. The fields depend on the endpoint. */
export type ShownMetadata = Record<string, unknown> & {
  width?: number
  height?: number
  format?: string
  size?: number
}

/** The fields of a request that commands read. */
export type ShownRequest = {
  id: number
  status: string
  progress?: number
  price?: { micro_usd: number }
  result?: { data: ShownMetadata; files?: { url: string; size: number | null }[] }
  error?: { message: string; operation?: number }
}

/** The service, the key, and the signal that ends the wait. */
export type Client = { address: string; key: string; signal: AbortSignal }

/** Starts a request and waits for it. Throws `OperatorError` if the request is rejected or fails. */
export async function finishRequest(
  client: Client,
  endpoint: string,
  body: object,
  onChange: (request: ShownRequest) => void,
): Promise<ShownRequest> {
  let request = await call(client, 'POST', `/v1/${endpoint}`, body)
  let pollMs = FIRST_POLL_MS
  while (request.status === 'queued' || request.status === 'processing') {
    onChange(request)
    await delay(pollMs, undefined, { signal: client.signal }).catch(() => {
      throw stopped()
    })
    pollMs = Math.min(pollMs * 1.4, LAST_POLL_MS)
    request = await call(client, 'GET', `/v1/requests/${request.id}`)
  }
  if (request.status === 'succeeded') return request
  throw new OperatorError(`The request ${request.status}: ${request.error?.message ?? 'no reason was given'}`)
}

/** Downloads a result into a file. `replace` allows overwriting. */
export async function downloadResult(
  client: Client,
  url: string,
  out: string,
  { replace }: { replace: boolean },
): Promise<void> {
  const answer = await fetch(url, { signal: client.signal })
  if (!answer.ok || answer.body === null) throw new OperatorError(`The download link returned ${answer.status}.`)
  const file = createWriteStream(out, { flags: replace ? 'w' : 'wx' })
  let opened = false
  file.once('open', () => (opened = true))
  try {
    await pipeline(Readable.fromWeb(answer.body), file, { signal: client.signal })
  } catch (error) {
    if (opened) await rm(out, { force: true })
    if (client.signal.aborted) throw stopped()
    throw new OperatorError(`${out} cannot be written. Use another file with --out.`, { cause: error })
  }
}

async function call(client: Client, method: string, path: string, body?: object): Promise<ShownRequest> {
  const response = await fetch(client.address + path, {
    method,
    headers: {
      authorization: `Bearer ${client.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.any([client.signal, AbortSignal.timeout(CALL_MS)]),
  }).catch((error: unknown) => {
    if (client.signal.aborted) throw stopped()
    throw error
  })
  const answer = (await response.json()) as ShownRequest
  if (response.ok) return answer
  throw new OperatorError(
    `${method} ${path} returned ${response.status}: ${answer.error?.message ?? 'no reason was given'}`,
  )
}

const stopped = () => new OperatorError('Stopped before the request was finished.')

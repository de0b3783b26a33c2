import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Destination } from '@mediamill/contract/endpoints/destination'
import type { Logger } from 'pino'
import { pause } from '../lib/time/retry.ts'
import { GAPS_MS, gapAfter } from '../outbound/attempt-gaps.ts'
import type { Network } from '../outbound/network.ts'
import type { PutOutcome } from '../outbound/put.ts'
import { put } from '../outbound/put.ts'
import { openResult } from '../store/result-file.ts'

export type DestinationAttempt = 'stored' | 'rejected' | 'no_response'

export type PutResultOptions = {
  network: Network
  signal: AbortSignal
  log: Logger
  deadlineMs: number
  counted: (outcome: DestinationAttempt) => void
  gapsMs?: readonly number[]
  stallMs?: number
}

/** Uploads a result to the client's URL in up to four attempts (destinations.attempts.2). Throws `RequestFailure`. */
export async function putResult(destination: Destination, path: string, options: PutResultOptions): Promise<void> {
  const { signal, log, gapsMs = GAPS_MS } = options
  for (let tried = 1; ; tried += 1) {
    const outcome = await putOnce(destination, path, options)
    options.counted(kindOf(outcome))
    if (isStored(outcome)) return
    const pauseMs = gapAfter(tried, gapsMs, Math.random)
    const reason = 'status' in outcome ? `its server returned status ${outcome.status}` : outcome.reason
    log.info({ tried, reason, ...('cause' in outcome && { err: outcome.cause }) }, 'upload to a destination failed')
    if (pauseMs === undefined) {
      throw new RequestFailure('processing_failed', `The destination did not accept the file: ${reason}.`)
    }
    await pause(pauseMs, signal)
  }
}

async function putOnce({ url, headers }: Destination, path: string, options: PutResultOptions): Promise<PutOutcome> {
  using file = openResult(path)
  const { network, signal, deadlineMs, stallMs } = options
  const limits = { deadlineMs, ...(stallMs !== undefined && { stallMs }) }
  return await put(url, { network, headers, size: file.size, body: file.read(), signal, ...limits })
}

const isStored = (outcome: PutOutcome) => 'status' in outcome && outcome.status >= 200 && outcome.status < 300

const kindOf = (outcome: PutOutcome): DestinationAttempt =>
  isStored(outcome) ? 'stored' : 'status' in outcome ? 'rejected' : 'no_response'

import type { Estimate, MediaRequest } from '../api-types.ts'
import type { UploadFile } from '../files/resolve-sources.ts'
import { resolveSources } from '../files/resolve-sources.ts'
import type { Downloadable } from '../files/result-file.ts'
import { withFiles } from '../files/result-file.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { Answer, CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import type { Sending } from './started-request.ts'
import { StartedRequest } from './started-request.ts'

/** What can be said of a call that starts work. */
export type StartOptions = CallOptions & {
  /**
   * With the same key and body nothing is started or charged twice, by another program or tomorrow neither. Without one
   * each call gets a key of its own, which its retries share.
   */
  idempotencyKey?: string | undefined
}

/** A processing endpoint: called, it starts a request. */
export type Endpoint<Params, Request, Succeeded> = {
  (params: Params, options?: StartOptions): StartedRequest<Downloadable<Request>, Succeeded>
  /** Tells what the same call would cost. It starts and charges nothing. */
  estimate: (params: Params, options?: CallOptions) => ApiPromise<Estimate>
}

const MINUTE_MS = 60_000
export const VIDEO_TIMEOUT_MS = 240 * MINUTE_MS
const OTHER_TIMEOUT_MS = 10 * MINUTE_MS

/** What an estimate uploads in place of every file: a body must name a source. */
const standIn = new Blob(['-'])

/** Makes the function of an endpoint, which is named as in its path. */
export function createEndpoint<P extends object, R, S>(
  transport: Transport,
  upload: UploadFile,
  name: string,
): Endpoint<P, R, S> {
  const path = `/v1/${name}`
  const start = (params: P, options: StartOptions = {}) => {
    const idempotencyKey = options.idempotencyKey ?? `sdk-${crypto.randomUUID()}`
    let body: Promise<object> | undefined
    const sendCall = async ({ signal, holdSeconds, onSend }: Sending): Promise<Answer<MediaRequest>> => {
      const call = { ...options, signal: signal ?? options.signal }
      // What was uploaded once is not uploaded again when the call is repeated.
      body ??= resolveSources(params, upload, call.signal)
      const resolved = await body
      call.signal?.throwIfAborted()
      onSend?.()
      const sent = { ...call, method: 'POST', path, body: resolved, holdSeconds, idempotencyKey } as const
      const answer = await send<MediaRequest>(transport, sent)
      withFiles(transport, answer.data)
      return answer
    }
    const defaultTimeoutMs = name.startsWith('videos/') ? VIDEO_TIMEOUT_MS : OTHER_TIMEOUT_MS
    const isKeyGiven = options.idempotencyKey !== undefined
    const { signal } = options
    const started = { idempotencyKey, isKeyGiven, defaultTimeoutMs, signal, send: sendCall }
    return new StartedRequest<Downloadable<R>, S>(transport, started)
  }
  // A price depends on the parameters alone, so no byte of a file is sent for it.
  const estimate = (params: P, options: CallOptions = {}) =>
    new ApiPromise<Estimate>(
      resolveSources(params, async (_file, signal) => await upload(standIn, signal), options.signal).then(
        async (body) => await send<Estimate>(transport, { ...options, method: 'POST', path: `${path}/estimate`, body }),
      ),
    )
  return Object.assign(start, { estimate })
}

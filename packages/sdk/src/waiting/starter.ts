import type { Estimate, MediaRequest } from '../api-types.ts'
import type { OnUpload, UploadFile } from '../files/resolve-sources.ts'
import { awaitLater, resolveSources } from '../files/resolve-sources.ts'
import type { Downloadable } from '../files/result-file.ts'
import { withFiles } from '../files/result-file.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { ApiResponse, CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import type { Sending } from './started-request.ts'
import { StartedRequest } from './started-request.ts'

/** Options of a call that starts a request. */
export type StartOptions = CallOptions & {
  /** All calls with the same key and body within 24 hours start one request. By default, each call has a new key. */
  idempotencyKey?: string | undefined
  /** Called with the progress of each uploaded file: the number of bytes sent so far, and the size of the file. */
  onUpload?: OnUpload | undefined
}

/** A processing endpoint. Call it to start a request. */
export type Endpoint<Params, Request, Succeeded> = {
  (params: Params, options?: StartOptions): StartedRequest<Downloadable<Request>, Succeeded>
  /** Returns the price of a call with these parameters. Starts no request, and is free. */
  estimate: (params: Params, options?: CallOptions) => ApiPromise<Estimate>
}

const MINUTE_MS = 60_000
export const VIDEO_TIMEOUT_MS = 240 * MINUTE_MS
const OTHER_TIMEOUT_MS = 10 * MINUTE_MS

/** A replacement for each file in an estimate. The price does not depend on the content of files. */
const placeholder = new Blob(['-'])

export function createEndpoint<P extends object, R, S>(
  transport: Transport,
  upload: UploadFile,
  name: string,
): Endpoint<P, R, S> {
  const path = `/v1/${name}`
  const start = (params: P, options: StartOptions = {}) => {
    const idempotencyKey = options.idempotencyKey ?? `sdk-${crypto.randomUUID()}`
    let body: Promise<object> | undefined
    awaitLater(params)
    const sendCall = async ({ signal, ...how }: Sending): Promise<ApiResponse<MediaRequest>> => {
      const call = { ...options, signal: signal ?? options.signal }
      // If the call is sent again, reuse its uploads.
      body ??= resolveSources(params, upload, { signal: call.signal, onUpload: options.onUpload })
      const resolved = await body
      call.signal?.throwIfAborted()
      const sent = { ...call, ...how, method: 'POST', path, body: resolved, idempotencyKey } as const
      const response = await send<MediaRequest>(transport, sent)
      withFiles(transport, response.data)
      return response
    }
    const defaultTimeoutMs = name.startsWith('videos/') ? VIDEO_TIMEOUT_MS : OTHER_TIMEOUT_MS
    const isKeyGiven = options.idempotencyKey !== undefined
    const { signal } = options
    const started = { idempotencyKey, isKeyGiven, defaultTimeoutMs, signal, send: sendCall }
    return new StartedRequest<Downloadable<R>, S>(transport, started)
  }
  const estimate = (params: P, options: CallOptions = {}) => {
    awaitLater(params)
    return new ApiPromise<Estimate>(
      resolveSources(params, async (_file, signal) => await upload(placeholder, signal), options).then(
        async (body) => await send<Estimate>(transport, { ...options, method: 'POST', path: `${path}/estimate`, body }),
      ),
    )
  }
  return Object.assign(start, { estimate })
}

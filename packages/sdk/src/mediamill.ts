import type { BatchOptions, BatchParams, BatchRequest, BatchResult, EndpointName } from './batch/batch.ts'
import { runBatch } from './batch/batch.ts'
import { environmentVariable, isBrowser } from './environment.ts'
import { MediamillError } from './errors/mediamill-error.ts'
import type { MediaSource } from './files/media-source.ts'
import { readFileSource } from './files/media-source.ts'
import type { UploadFile } from './files/resolve-sources.ts'
import { awaitLater } from './files/resolve-sources.ts'
import { UploadedBlobs } from './files/uploaded-blobs.ts'
import { AccountResource, OperationsResource, UsageResource } from './resources/account.ts'
import { Events } from './resources/events.ts'
import type { Documents, Images, Videos } from './resources/media.ts'
import { Requests } from './resources/requests.ts'
import { Stamps } from './resources/stamps.ts'
import { Templates } from './resources/templates.ts'
import { Uploads, uploadBlob } from './resources/uploads.ts'
import { ApiPromise } from './transport/api-promise.ts'
import { trimBaseUrl } from './transport/base-url.ts'
import { clockOf } from './transport/clock.ts'
import { runtimeFetch } from './transport/fetch-file.ts'
import { Slots } from './transport/slots.ts'
import type { WaitNotice } from './transport/throttle.ts'
import { Throttle } from './transport/throttle.ts'
import type { CallNotice, CallOptions, Transport } from './transport/transport.ts'
import { send } from './transport/transport.ts'
import { VERSION } from './version.ts'
import { createEndpoint } from './waiting/starter.ts'
import { isRestricted } from './waiting/wait.ts'

/** The settings of a client. */
export type MediamillOptions = {
  /** The URL of the service, with or without `/v1`. Default: the environment variable `MEDIAMILL_URL`. */
  baseUrl?: string | URL | undefined
  /** The API key. Default: the environment variable `MEDIAMILL_API_KEY`. */
  apiKey?: string | undefined
  /** The function that sends the calls; by default the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** The maximum number of retries of a call; by default 2. With 0, the client also never waits for a limit. */
  maxRetries?: number | undefined
  /** The timeout of one attempt, in milliseconds; by default 30,000. */
  timeoutMs?: number | undefined
  /** Headers to add to every call. */
  defaultHeaders?: Readonly<Record<string, string>> | undefined
  /** Called after each attempt of a call, even if there was no response. Use it for logs and metrics. */
  onCall?: ((notice: CallNotice) => void) | undefined
  /** Called when the client pauses because the account has reached a limit. */
  onWait?: ((notice: WaitNotice) => void) | undefined
  /** Called once for each different warning, such as an ignored query parameter. Default: `console.warn`. */
  onWarning?: ((message: string) => void) | undefined
  /** Allows the client to run in a browser. Every visitor of the page can read the key. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/**
 * A client of a Mediamill service.
 * @example
 * const mediamill = new Mediamill({ baseUrl: 'https://media.example.com', apiKey: 'svc_test_…' })
 * const { result } = await mediamill.images.read({ source: 'https://example.com/photo.jpg' }).wait()
 */
export class Mediamill {
  /** Endpoints for images. */
  readonly images: Images
  /** Endpoints for videos. They require an account that has bought credit. */
  readonly videos: Videos
  /** Endpoints for PDFs. */
  readonly documents: Documents
  /** The requests of the account. */
  readonly requests: Requests
  /** Uploaded files, which the service keeps for a day. */
  readonly uploads: Uploads
  /** Watermarks made from text or an image. */
  readonly stamps: Stamps
  /** Templates of the account: stored operations and outputs with variables. */
  readonly templates: Templates
  /** Events about finished requests of the account, in order. */
  readonly events: Events
  /** The account that the key belongs to. */
  readonly account: AccountResource
  /** Usage reports of the account. */
  readonly usage: UsageResource
  /** The operations that the service supports. */
  readonly operations: OperationsResource
  readonly #transport: Transport
  readonly #blobs: UploadedBlobs

  constructor(options: MediamillOptions = {}) {
    const transport = createTransport(options)
    this.#transport = transport
    this.account = new AccountResource(transport)
    const { clock } = transport
    transport.queues = {
      throttle: new Throttle(clock, options.onWait),
      starts: new Slots(FIRST_STARTS, async () => (await this.account.retrieve()).limits.concurrent_requests),
      uploads: new Slots(UPLOADS_AT_ONCE),
    }
    const blobs = new UploadedBlobs(
      transport.clock,
      async (file, signal, onProgress) => (await uploadBlob(transport, file, { signal, onProgress })).data,
    )
    this.#blobs = blobs
    const upload: UploadFile = async (file, signal, onUpload) =>
      await blobs.sourceOf(await readFileSource(file), signal, onUpload)
    const endpoint = <P extends object, R, S>(name: string) => createEndpoint<P, R, S>(transport, upload, name)
    this.images = { process: endpoint('images/process'), read: endpoint('images/read') }
    this.videos = {
      process: endpoint('videos/process'),
      read: endpoint('videos/read'),
      screenshot: endpoint('videos/screenshot'),
    }
    this.documents = {
      process: endpoint('documents/process'),
      read: endpoint('documents/read'),
      snapshot: endpoint('documents/snapshot'),
    }
    this.requests = new Requests(transport)
    this.uploads = new Uploads(transport, blobs)
    this.stamps = new Stamps(transport, upload)
    this.templates = new Templates(transport)
    this.events = new Events(transport)
    this.usage = new UsageResource(transport)
    this.operations = new OperationsResource(transport)
  }

  /**
   * Processes many sources with one endpoint, and yields each result as soon as it is finished.
   * If a source fails, yields the error and continues. With `journal`, you can rerun a killed batch, and no source is
   * charged twice.
   * @example
   * const work = { endpoint: 'images/process' as const, operations: [{ type: 'grayscale' as const }] }
   * for await (const one of mediamill.batch(paths.map(openFile), work, { journal: 'batch.jsonl' })) {
   *   if (one.ok) await one.request.result.files[0].save(`out/${one.index}.jpg`)
   * }
   */
  batch<E extends EndpointName>(
    sources: Iterable<MediaSource> | AsyncIterable<MediaSource>,
    params: BatchParams<E> | ((source: MediaSource, index: number) => BatchParams<E>),
    options: BatchOptions = {},
  ): AsyncGenerator<BatchResult<BatchRequest<E>>, undefined> {
    awaitLater(params)
    if (Array.isArray(sources)) for (const source of sources) awaitLater({ source })
    const uploadOf = (file: Blob) => this.#blobs.uploadOf(file)
    const paramsOf = typeof params === 'function' ? params : () => params
    const { clock, maxRetries } = this.#transport
    // If the service is unreachable, a batch must report this soon, even if its calls have many retries.
    const limits = async (signal: AbortSignal) =>
      await this.account.retrieve({ signal, maxRetries: Math.min(1, maxRetries) }).then(
        (account) => account.limits,
        (error: unknown) => {
          if (!isRestricted(error)) throw error
          return { concurrent_requests: FIRST_STARTS, max_source_bytes: Number.POSITIVE_INFINITY }
        },
      )
    const parts = { client: this, limits, uploadOf, clock }
    return runBatch(parts, sources, paramsOf as (source: MediaSource, index: number) => BatchParams, options) as never
  }

  /**
   * Calls any path of the API, even a path that has no method in this version. Waits for limits, and retries.
   * A POST may run twice after a lost connection. If the path supports it, pass an `Idempotency-Key` header.
   * @example const account = await mediamill.call<Account>('GET', '/v1/account')
   */
  call<T>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: `/v1/${string}`,
    { query, body, ...options }: CallOptions & { query?: object; body?: unknown } = {},
  ): ApiPromise<T> {
    return new ApiPromise(send<T>(this.#transport, { ...options, method, path, query, body }))
  }
}

/** The number of concurrent requests until the client has read its account's limit. No account has a lower limit. */
const FIRST_STARTS = 2

/** The maximum number of concurrent uploads of a client. An account may run 20; four are left for other programs. */
const UPLOADS_AT_ONCE = 16

function onceEach(warn: (message: string) => void): (message: string) => void {
  const seen = new Set<string>()
  return (message) => {
    if (seen.has(message)) return
    seen.add(message)
    warn(message)
  }
}

function createTransport(options: MediamillOptions): Transport {
  const baseUrl = options.baseUrl ?? environmentVariable('MEDIAMILL_URL')
  if (baseUrl === undefined) throw new MediamillError('No base URL is set: pass `baseUrl`, or set MEDIAMILL_URL.')
  if (!/^https?:/i.test(String(baseUrl)) || !URL.canParse(String(baseUrl))) {
    throw new MediamillError(`The base URL is not a URL such as https://media.example.com: ${String(baseUrl)}`)
  }
  const apiKey = options.apiKey ?? environmentVariable('MEDIAMILL_API_KEY')
  if (!apiKey) throw new MediamillError('No API key is set: pass `apiKey`, or set MEDIAMILL_API_KEY.')
  const inBrowser = isBrowser()
  if (inBrowser && options.dangerouslyAllowBrowser !== true) {
    throw new MediamillError(
      'Every visitor of this page could read the key. Send files with sendUpload() and a signed URL, ' +
        'or set `dangerouslyAllowBrowser` and use a restricted key.',
    )
  }
  return {
    baseUrl: trimBaseUrl(String(baseUrl)),
    apiKey,
    // Keep the browser's user agent, because this header would cause a preflight request.
    userAgent: inBrowser ? undefined : `mediamill-sdk/${VERSION}`,
    fetch: options.fetch ?? runtimeFetch,
    headers: options.defaultHeaders,
    onCall: options.onCall,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 2,
    clock: clockOf(options),
    // oxlint-disable-next-line no-console -- a program that misuses the API must see it without setting anything up.
    warn: onceEach(options.onWarning ?? ((message) => console.warn(`Mediamill: ${message}`))),
  }
}

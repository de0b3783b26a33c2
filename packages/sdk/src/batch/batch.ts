import type { MediaRequest } from '../api-types.ts'
import { MediamillError } from '../errors/mediamill-error.ts'
import { RequestAbortedError, RequestFailedError } from '../errors/request-errors.ts'
import type { FileSource, MediaSource } from '../files/media-source.ts'
import { readFileSource } from '../files/media-source.ts'
import { resolveSources } from '../files/resolve-sources.ts'
import { createDigest } from '../files/sha256.ts'
import type { AccountResource } from '../resources/account.ts'
import type { Documents, Images, Videos } from '../resources/media.ts'
import type { Requests } from '../resources/requests.ts'
import type { Uploads } from '../resources/uploads.ts'
import type { Clock } from '../transport/clock.ts'
import { createStop } from '../transport/stop-signal.ts'
import type { Endpoint } from '../waiting/starter.ts'
import type { Journal } from './journal.ts'
import { memoryJournal, openJournal } from './journal.ts'

type Groups = { images: Images; videos: Videos; documents: Documents }

type EndpointOf<E> = E extends `${infer G extends keyof Groups}/${infer V}` ? Groups[G][V & keyof Groups[G]] : never

type ParamsFor<E> = EndpointOf<E> extends Endpoint<infer P, infer _R, infer _S> ? P : never

export type BatchRequest<E> = EndpointOf<E> extends Endpoint<infer _P, infer _R, infer S> ? S : never

/** An endpoint's name, such as `images/process`. */
export type EndpointName = { [G in keyof Groups]: `${G}/${keyof Groups[G] & string}` }[keyof Groups]

/** The endpoint of a batch, and its parameters without `source`, which the batch sets. */
export type BatchParams<E extends EndpointName = EndpointName> = E extends EndpointName
  ? { endpoint: E } & WithoutSource<ParamsFor<E>>
  : never

type WithoutSource<P> = P extends unknown ? Omit<P, 'source'> : never

/** The outcome of one source in a batch. */
export type BatchResult<R> = {
  /** The source. `index` is its position in the list of sources, starting at 0. */
  source: MediaSource
  index: number
} & (
  | {
      ok: true
      request: R
      /** Whether the charge was made earlier: by an earlier run, or for an earlier source with the same content. */
      isEarlier: boolean
    }
  | { ok: false; error: unknown }
)

export type BatchOptions = {
  /** The maximum number of sources processed in parallel. Default: the account's concurrent requests, at most 32. */
  concurrency?: number | undefined
  /**
   * The path of a file that records the progress of the batch. If a batch is killed, run it again with the same
   * journal: it continues, and no source is charged twice. Delete the file to process all sources again.
   */
  journal?: string | undefined
  /** Stops the batch, and aborts its unfinished requests. */
  signal?: AbortSignal | undefined
  /** Called after each source. `done` also counts failed sources. `total` is set if the sources are an array. */
  onProgress?: ((progress: { done: number; failed: number; total: number | undefined }) => void) | undefined
}

export type BatchClient = {
  client: { account: AccountResource; requests: Requests; uploads: Uploads }
  endpointOf: (name: string) => Endpoint<never, MediaRequest, MediaRequest>
  /** Returns the id of a file's upload, or `undefined` if this client has not uploaded it. */
  uploadOf: (file: Blob) => string | undefined
  clock: Clock
}

/** The default of `concurrency` is at most this. More concurrent requests do not make a batch faster. */
const MAX_CONCURRENCY = 32

/** How long a batch reuses an idempotency key. The service stores a key for 24 hours; one hour is a margin. */
const KEY_LIFE_MS = 23 * 3_600_000

/** The maximum number of attempts for one source. A new attempt starts if an earlier run's request failed. */
const MAX_ATTEMPTS = 20

/** The batch stores as many bytes as this many files of maximum size. The account's storage has space for ten. */
const STORED_SOURCES = 5

type Sources = Iterable<MediaSource> | AsyncIterable<MediaSource>
type ParamsOf = (source: MediaSource, index: number) => BatchParams

/** Processes each source with the endpoint that `paramsOf` names, and yields each result as soon as it is finished. */
export async function* runBatch(
  { client, endpointOf, uploadOf, clock }: BatchClient,
  sources: Sources,
  paramsOf: ParamsOf,
  { concurrency, journal: path, signal, onProgress }: BatchOptions,
): AsyncGenerator<BatchResult<MediaRequest>, undefined> {
  const stop = createStop(clock, [signal])
  const journal = path === undefined ? memoryJournal() : await openJournal(path)
  const ended: BatchResult<MediaRequest>[] = []
  const total = Array.isArray(sources) ? sources.length : undefined
  let [done, failed, index, isOver] = [0, 0, 0, false]
  let wake = () => {}
  try {
    const { limits } = await client.account.retrieve({ signal: stop.signal })
    const job = createJob({ client, endpointOf, uploadOf, clock }, journal, STORED_SOURCES * limits.max_source_bytes)
    const iterator = Symbol.asyncIterator in sources ? sources[Symbol.asyncIterator]() : sources[Symbol.iterator]()
    const work = async () => {
      for (;;) {
        stop.signal.throwIfAborted()
        const next = await iterator.next()
        if (next.done === true) return
        const one = { source: next.value, index: index++ }
        let result: BatchResult<MediaRequest>
        try {
          const found = await job(one.source, paramsOf(one.source, one.index), stop.signal)
          result = { ...one, ok: true, ...found }
        } catch (error) {
          stop.signal.throwIfAborted()
          result = { ...one, ok: false, error }
          failed += 1
        }
        done += 1
        ended.push(result)
        onProgress?.({ done, failed, total })
        wake()
      }
    }
    const most = concurrency ?? Math.min(MAX_CONCURRENCY, limits.concurrent_requests)
    const all = Promise.all(Array.from({ length: Math.max(1, most) }, work)).finally(() => {
      isOver = true
      wake()
    })
    all.catch(() => {})
    try {
      for (;;) {
        yield* ended.splice(0)
        if (isOver) break
        await new Promise<void>((resolve) => {
          wake = resolve
          if (ended.length > 0 || isOver) resolve()
        })
      }
      await all
      yield* ended.splice(0)
    } finally {
      if (!isOver) stop.abort(new MediamillError('The batch was stopped.'))
      await all.catch(() => {})
    }
    return undefined
  } finally {
    stop.dispose()
    await journal.close()
  }
}

type Found = { request: MediaRequest; isEarlier: boolean }

/** Returns a function that processes one source. Uploads stay stored until the batch has stored `bytes` in total. */
function createJob({ client, endpointOf, uploadOf, clock }: BatchClient, journal: Journal, bytes: number) {
  const digests = new WeakMap<object, Promise<string>>()
  const running = new Map<string, Promise<unknown>>()
  let left = bytes
  const digest = async (given: FileSource | URL) => {
    const known = digests.get(given) ?? readFileSource(given).then(digestOf)
    digests.set(given, known)
    return await known
  }

  return async (source: MediaSource, params: BatchParams, signal: AbortSignal): Promise<Found> => {
    const { endpoint, ...given } = params
    const body = { ...given, source }
    const key = await keyOf(journal.id, endpoint, await resolveSources(body, digest))
    // Sources with the same content share one request. The second source waits, and gets the result of the first.
    const turn = (running.get(key) ?? Promise.resolve())
      .catch(() => {})
      .then(() => process(key, endpoint, body, signal))
    running.set(key, turn)
    return await turn
  }

  async function process(key: string, endpoint: string, body: { source: MediaSource }, signal: AbortSignal) {
    const known = journal.find(key)
    if (known?.request !== undefined) {
      return { request: await client.requests.wait(known.request, { signal }), isEarlier: true }
    }
    const { begun, attempt: first = 1 } = known ?? {}
    if (begun !== undefined && clock.now() - begun > KEY_LIFE_MS) {
      throw new MediamillError(
        'An earlier run sent this source more than 23 hours ago, and recorded no result. Check the requests of the account. Use a new journal to send the source again.',
      )
    }
    for (let attempt = first; ; attempt += 1) {
      if (journal.find(key)?.attempt !== attempt) await journal.note(key, { begun: clock.now(), attempt })
      const idempotencyKey = attempt === 1 ? key : `${key}-${attempt}`
      const started = endpointOf(endpoint)(body as never, { idempotencyKey, signal })
      try {
        const request = await started.wait({ signal })
        await journal.note(key, { request: request.id })
        const { response } = await started.withResponse()
        await freeStorage(await body.source, signal)
        return { request, isEarlier: begun !== undefined && response.headers.has('idempotent-replayed') }
      } catch (error) {
        // A failed request is not charged. If the request of an earlier run failed, start a new attempt.
        const isOver = error instanceof RequestFailedError || error instanceof RequestAbortedError
        if (!isOver || attempt === MAX_ATTEMPTS) throw error
        const { response } = await started.withResponse()
        if (!response.headers.has('idempotent-replayed')) throw error
      }
    }
  }

  /** Deletes the upload of a finished source if the batch has used its share of the account's storage. */
  async function freeStorage(source: unknown, signal: AbortSignal): Promise<void> {
    const file = source instanceof Blob ? source : undefined
    const id = file && uploadOf(file)
    if (file === undefined || id === undefined) return
    left -= file.size
    if (left <= 0) await client.uploads.delete(id, { signal, maxRetries: 0 }).catch(() => {})
  }
}

async function digestOf(file: Blob): Promise<string> {
  const digest = createDigest()
  const reader = (file.stream() as ReadableStream<Uint8Array>).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) digest.update(next.value)
  return `sha256:${digest.hex()}`
}

async function keyOf(journal: string, endpoint: string, body: object): Promise<string> {
  const digest = createDigest()
  digest.update(new TextEncoder().encode(`${journal}\n${endpoint}\n${canonical(body)}`))
  return `batch-${digest.hex().slice(0, 40)}`
}

/** Returns a value as JSON with sorted keys, so that equal values have the same text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  entries.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`
}

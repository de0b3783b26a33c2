import type { Limits, MediaRequest, ResultFile } from '../api-types.ts'
import { ApiError } from '../errors/api-error.ts'
import { MediamillError } from '../errors/mediamill-error.ts'
import { RequestAbortedError, RequestFailedError } from '../errors/request-errors.ts'
import type { FileSource, MediaSource } from '../files/media-source.ts'
import { isBlob, isFileSource, readFileSource } from '../files/media-source.ts'
import { awaitLater, mapSources, resolveSources } from '../files/resolve-sources.ts'
import { createDigest } from '../files/sha256.ts'
import type { Groups } from '../resources/endpoint-of.ts'
import { endpointOf } from '../resources/endpoint-of.ts'
import type { Requests } from '../resources/requests.ts'
import type { Uploads } from '../resources/uploads.ts'
import type { Clock } from '../transport/clock.ts'
import { createStop } from '../transport/stop-signal.ts'
import type { Endpoint } from '../waiting/starter.ts'
import { isRestricted } from '../waiting/wait.ts'
import { inParallel } from './in-parallel.ts'
import type { Journal } from './journal.ts'
import { memoryJournal, openJournal } from './journal.ts'

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
  /** Called with the progress of one source: uploaded bytes, or the state of a video. States cost additional calls. */
  onSource?: ((progress: { source: MediaSource; index: number } & SourceState) => void) | undefined
}

type SourceState =
  | { sent: number; size: number; request?: undefined }
  | { request: MediaRequest; sent?: undefined; size?: undefined }
type Report = (state: SourceState) => void

export type BatchClient = {
  client: Groups & { requests: Requests; uploads: Uploads }
  limits: (signal: AbortSignal) => Promise<Pick<Limits, 'concurrent_requests' | 'max_source_bytes'>>
  /** Returns the id of a file's upload, or `undefined` if this client has not uploaded it. */
  uploadOf: (file: Blob) => string | undefined
  clock: Clock
}

/** The maximum of the default concurrency. More concurrent requests do not make a batch faster. */
const MAX_CONCURRENCY = 32

/** The time for which a batch reuses an idempotency key. The service keeps a key for 24 hours. One hour is a margin. */
const KEY_LIFE_MS = 23 * 3_600_000

/** The maximum wait for an idempotency key in use. If the service is killed, a key stays in use for 30 s. */
const KEY_HOLD_MS = 90_000
const KEY_PAUSE_MS = 2000

/** The maximum number of attempts for a source. If the request of an earlier run failed, a new attempt starts. */
const MAX_ATTEMPTS = 20

/** The number of files of maximum size whose uploads a batch keeps: half of the account's storage. */
const STORED_SOURCES = 5

type Sources = Iterable<MediaSource> | AsyncIterable<MediaSource>
type ParamsOf = (source: MediaSource, index: number) => BatchParams

export async function* runBatch(
  parts: BatchClient,
  sources: Sources,
  paramsOf: ParamsOf,
  { concurrency, journal: path, signal, onProgress, onSource }: BatchOptions,
): AsyncGenerator<BatchResult<MediaRequest>, undefined> {
  const stop = createStop(parts.clock, [signal])
  const journal = path === undefined ? memoryJournal() : await openJournal(path)
  const total = Array.isArray(sources) ? sources.length : undefined
  let [done, failed] = [0, 0]
  try {
    const limits = await parts.limits(stop.signal)
    const job = createJob(parts, journal, STORED_SOURCES * limits.max_source_bytes)
    const work = async (source: MediaSource, index: number): Promise<BatchResult<MediaRequest>> => {
      const one = { source, index }
      const report = onSource && ((state: SourceState) => onSource({ ...one, ...state }))
      const result = await job(source, () => paramsOf(source, index), stop.signal, report).then(
        (found) => ({ ...one, ok: true, ...found }) as const,
        (error: unknown) => {
          stop.signal.throwIfAborted()
          failed += 1
          return { ...one, ok: false, error } as const
        },
      )
      done += 1
      onProgress?.({ done, failed, total })
      return result
    }
    const maximum = concurrency ?? Math.min(MAX_CONCURRENCY, limits.concurrent_requests)
    return yield* inParallel(sources, maximum, work, stop)
  } finally {
    stop.dispose()
  }
}

type Found = { request: MediaRequest; isEarlier: boolean }

/** Returns a function that processes a source. After `bytes` uploaded bytes, further uploads are deleted after use. */
function createJob({ client, uploadOf, clock }: BatchClient, journal: Journal, bytes: number) {
  const keyOf = createKeyOf(journal.id)
  const running = new Map<string, Promise<unknown>>()
  let left = bytes
  let first: { params: string; check?: Promise<void> } | undefined

  /**
   * Checks the parameters with an estimate before the second file is uploaded. If they are invalid, all files with the
   * same parameters fail without an upload. A single file needs no estimate.
   */
  async function checkParams(endpoint: string, params: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    const text = canonical({ endpoint, ...(await mapSources(params, nameOfSource)) })
    if (first?.params === text) await (first.check ??= estimate(endpoint, params, signal))
    first ??= { params: text }
  }

  async function estimate(endpoint: string, params: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    try {
      await endpointOf(client, endpoint).estimate({ ...params, source: new Blob(['-']) }, { signal })
    } catch (error) {
      // After any other error, the call of the request itself decides.
      if (error instanceof ApiError && (error.status === 402 || error.status === 422)) throw error
    }
  }

  return async (
    given: MediaSource,
    paramsOf: () => BatchParams,
    signal: AbortSignal,
    report?: Report,
  ): Promise<Found> => {
    const { endpoint, ...params } = paramsOf()
    awaitLater(params)
    const value = await given
    const source = isFileSource(value) ? await readFileSource(value) : value
    const body = { ...params, source }
    const key = await keyOf(endpoint, body)
    // Sources with the same content share one request: the second source gets the result of the first.
    const turn = (running.get(key) ?? Promise.resolve())
      .catch(() => {})
      .then(async () => {
        if (isBlob(source) && journal.find(key) === undefined) await checkParams(endpoint, params, signal)
        const found = await process(key, endpoint, body, signal, report)
        await freeStorage(source, signal)
        return found
      })
    running.set(key, turn)
    return await turn
  }

  async function process(key: string, endpoint: string, body: object, signal: AbortSignal, report?: Report) {
    // Only videos report progress. Other requests usually finish within one long poll.
    const onProgress =
      report && endpoint.startsWith('videos/') ? (request: MediaRequest) => report({ request }) : undefined
    const earlier = journal.find(key)
    let attempt = earlier?.attempt ?? 1
    if (earlier?.request !== undefined) {
      try {
        return { request: await client.requests.wait(earlier.request, { signal, onProgress }), isEarlier: true }
      } catch (error) {
        // A failed request is not charged, so a new attempt starts. A key that cannot read requests repeats the call.
        if (isUnpaid(error) && attempt < MAX_ATTEMPTS) attempt += 1
        else if (!isRestricted(error)) throw error
      }
    }
    let begun = attempt === earlier?.attempt ? earlier.begun : undefined
    if (begun !== undefined && clock.now() - begun > KEY_LIFE_MS) {
      throw new MediamillError(
        'An earlier run sent this source more than 23 hours ago, and recorded no result. Check the requests of the account. Use a new journal to send the source again.',
      )
    }
    const heldUntil = clock.now() + KEY_HOLD_MS
    for (;;) {
      const now = { begun: begun ?? clock.now(), attempt }
      await journal.note(key, now)
      const options = {
        idempotencyKey: attempt === 1 ? key : `${key}-${attempt}`,
        signal,
        onUpload: report && ((sent: number, size: number) => report({ sent, size })),
      }
      const started = endpointOf(client, endpoint)({ ...body }, options)
      const noted = started.then(async ({ id: request }) => await journal.note(key, { ...now, request }))
      noted.catch(() => {})
      try {
        const request = await started.wait({ signal, onProgress })
        await noted
        const files = (request as { result: { files?: ResultFile[] } }).result.files ?? []
        await journal.note(key, { ...now, request: request.id, files: files.map(({ sha256 }) => sha256) })
        return { request, isEarlier: earlier !== undefined && (await isReplay(started)) }
      } catch (error) {
        const isHeld = error instanceof ApiError && error.code === 'idempotency_key_in_use'
        if (isHeld && clock.now() < heldUntil) {
          await clock.sleep(KEY_PAUSE_MS, signal)
          continue
        }
        if (!isUnpaid(error) || attempt === MAX_ATTEMPTS || !(await isReplay(started))) throw error
        attempt += 1
        begun = undefined
      }
    }
  }

  async function freeStorage(source: unknown, signal: AbortSignal): Promise<void> {
    const file = isBlob(source) ? source : undefined
    const id = file && uploadOf(file)
    if (file === undefined || id === undefined) return
    left -= file.size
    if (left <= 0) await client.uploads.delete(id, { signal, maxRetries: 0 }).catch(() => {})
  }
}

const nameOfSource = async (given: unknown) => {
  const value = await given
  return isFileSource(value) ? 'file' : value
}

const isUnpaid = (error: unknown) => error instanceof RequestFailedError || error instanceof RequestAbortedError

const isReplay = async (started: ReturnType<ReturnType<typeof endpointOf>>) =>
  (await started.withResponse()).response.headers.has('idempotent-replayed')

/** Returns a function that computes the key of a job. A copy of a file has the same key. */
export function createKeyOf(journal: string): (endpoint: string, body: object) => Promise<string> {
  const digests = new WeakMap<object, Promise<string>>()
  const digest = async (given: FileSource | URL) => {
    const known = digests.get(given) ?? readFileSource(given).then(digestOf)
    digests.set(given, known)
    return await known
  }
  return async (endpoint, body) => {
    const resolved = await resolveSources(body, digest)
    const hash = createDigest()
    hash.update(new TextEncoder().encode(`${journal}\n${endpoint}\n${canonical(resolved)}`))
    return `batch-${hash.hex().slice(0, 40)}`
  }
}

async function digestOf(file: Blob): Promise<string> {
  const digest = createDigest()
  const reader = (file.stream() as ReadableStream<Uint8Array>).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) digest.update(next.value)
  return `sha256:${digest.hex()}`
}

/** Converts a value to JSON with sorted keys, so that equal values have the same JSON. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  entries.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`
}

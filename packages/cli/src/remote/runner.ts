import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { microUsd } from '@mediamill/contract/domain/money'
import type { MediaRequest } from '@mediamill/sdk/src/api-types'
import { ApiError } from '@mediamill/sdk/src/errors/api-error'
import { RequestAbortedError, RequestFailedError } from '@mediamill/sdk/src/errors/request-errors'
import { openFile } from '@mediamill/sdk/src/files/open-file'
import { uploadName } from '@mediamill/sdk/src/files/upload-name'
import type { Mediamill } from '@mediamill/sdk/src/mediamill'
import type { WaitNotice } from '@mediamill/sdk/src/transport/throttle'
import type { Done, Job, Runner, RunOptions } from '../batch/job.ts'
import { withOverlay } from '../batch/overlays.ts'
import type { ProcessingOptions } from '../batch/processing-options.ts'
import { writeResult } from '../outputs/save-file.ts'
import { connect, retrieveAccount } from './connect.ts'
import type { Estimate, Succeeded } from './endpoint-of.ts'
import { endpointOf } from './endpoint-of.ts'
import type { JobKey } from './job-key.ts'
import { jobKeyOf } from './job-key.ts'
import type { SavedRequest } from './journal.ts'
import { Journal } from './journal.ts'

const MAX_AT_ONCE = 32

/** The maximum number of attempts of a job whose earlier requests failed or were aborted. */
const MAX_ENDED = 20

export type RemoteRunner = Runner & {
  estimate: (job: Job) => Promise<Estimate>
  /** Returns the key of a job. Jobs with the same key share one request. */
  keyOf: (job: Job) => Promise<string>
}

/** Opens a service as a runner of jobs. Its first call has few retries, to report an unreachable service quickly. */
export async function openRemoteRunner(
  options: ProcessingOptions,
  signal: AbortSignal,
  onWait?: (notice: WaitNotice) => void,
): Promise<RemoteRunner> {
  const { service, account } = await connect(options, { isPatient: true, ...(onWait && { onWait }) })
  const { limits } = await retrieveAccount(service, { signal })
  const journal = await Journal.open(account)
  const keys = new WeakMap<Job, Promise<JobKey>>()
  const keyOf = (job: Job) => {
    const known = keys.get(job) ?? jobKeyOf(job, account, options.fresh === true)
    keys.set(job, known)
    return known
  }
  const shared: Shared = {
    service,
    journal,
    begun: new Set(),
    uploads: new Map(),
    room: { left: ROOM * limits.max_source_bytes },
  }
  const inTurn = createTurns()
  return {
    concurrency: Math.min(MAX_AT_ONCE, Math.max(1, limits.concurrent_requests)),
    async run(job, how) {
      const key = await keyOf(job)
      // Jobs with the same content share one request. The second job waits for the first, and gets its result.
      return await inTurn(key.key, () => new RemoteJob(shared, job, key, how).run())
    },
    async estimate(job) {
      const how = { signal, onProgress: () => undefined }
      return await new RemoteJob(shared, job, await keyOf(job), how).estimate()
    },
    keyOf: async (job) => (await keyOf(job)).key,
    async savedBefore(job, path) {
      const { key } = await keyOf(job)
      return journal.savedAt(key, path)?.sha256 ?? (journal.sourcesOf(key) === undefined ? undefined : 'begun')
    },
    async requestBefore(job, path) {
      const request = journal.savedAt((await keyOf(job)).key, path)?.request
      return request === undefined ? undefined : { data: request.result.data, request, files: [] }
    },
    async noteSaved(job, path, { sha256 }, { request }) {
      await journal.save((await keyOf(job)).key, path, { sha256, request: request as SavedRequest | undefined })
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

/** How long a job waits while its idempotency key is in use. The key of a killed call stays in use for 30 s. */
const KEY_HOLD_MS = 90_000
const KEY_PAUSE_MS = 2_000

type Shared = {
  service: Mediamill
  journal: Journal
  begun: Set<string>
  /** The uploads in progress, by the digest of the file. */
  uploads: Map<string, Promise<string>>
  room: { left: number }
}

/** A run keeps its uploads up to this many files of maximum size: half of the account's storage. */
const ROOM = 5

function createTurns(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).catch(() => undefined).then(work)
    last.set(key, turn)
    return await turn
  }
}

class RemoteJob {
  readonly #shared: Shared
  readonly #job: Job
  readonly #key: JobKey
  readonly #how: RunOptions

  constructor(shared: Shared, job: Job, key: JobKey, how: RunOptions) {
    this.#shared = shared
    this.#job = job
    this.#key = key
    this.#how = how
  }

  async run(): Promise<Done> {
    const { key, file } = this.#key
    const sources = this.#shared.journal.sourcesOf(key) ?? (await this.#uploadAll())
    try {
      return await this.#finish(sources)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'upload_not_found') throw error
      // Another client has deleted an upload, so upload all files again.
      return await this.#finish(await this.#uploadAll(true))
    } finally {
      if (file !== undefined) await this.#releaseUpload(file)
    }
  }

  async estimate(): Promise<Estimate> {
    const { source, overlays } = this.#job
    const own = source.kind === 'url' ? source.url : await openFile(source.path)
    const body = this.#bodyWith([own, ...(await Promise.all(overlays.map(({ path }) => openFile(path))))])
    return await endpointOf(this.#shared.service, this.#job.endpoint).estimate(body, { signal: this.#how.signal })
  }

  #bodyWith([source = '', ...others]: readonly (string | Blob)[]): Record<string, unknown> {
    const { body, overlays } = this.#job
    const changed = overlays.reduce((one, overlay, index) => withOverlay(one, overlay, others[index] ?? ''), body)
    return { ...changed, source }
  }

  /** Uploads all local files. Returns all sources, with overlays last. With `again`, reuses no earlier upload. */
  async #uploadAll(again = false): Promise<string[]> {
    const { source, overlays } = this.#job
    const own = source.kind === 'url' ? source.url : await this.#upload(source.path, this.#key.file ?? '', again)
    const others: string[] = []
    for (const [index, { path }] of overlays.entries()) {
      others.push(await this.#upload(path, this.#key.overlays[index] ?? '', again))
    }
    return [own, ...others]
  }

  async #upload(path: string, digest: string, again: boolean): Promise<string> {
    const known = again ? undefined : this.#shared.journal.uploadOf(digest)
    if (known !== undefined) return known
    const sending =
      this.#shared.uploads.get(digest) ?? this.#send(path, digest).finally(() => this.#shared.uploads.delete(digest))
    this.#shared.uploads.set(digest, sending)
    return await sending
  }

  async #send(path: string, digest: string): Promise<string> {
    const { signal, onProgress } = this.#how
    onProgress('uploading')
    const blob = await openFile(path)
    this.#shared.room.left -= blob.size
    const upload = await this.#shared.service.uploads.create(blob, {
      signal,
      filename: uploadName(path),
      onProgress: (sent, size) => onProgress(`uploading ${Math.floor((100 * sent) / Math.max(1, size))} %`),
    })
    await this.#shared.journal.upload(digest, upload.source, basename(path))
    return upload.source
  }

  /** Starts the request of a job, or finds the request of an earlier run. If that request failed, starts a new one. */
  async #finish(sources: readonly string[]): Promise<Done> {
    const body = this.#bodyWith(sources)
    const wasBegun =
      this.#shared.journal.sourcesOf(this.#key.key) !== undefined && !this.#shared.begun.has(this.#key.key)
    this.#shared.begun.add(this.#key.key)
    await this.#shared.journal.begin(this.#key.key, sources)
    const heldUntil = Date.now() + KEY_HOLD_MS
    for (let count = 1; ; ) {
      const idempotencyKey = count === 1 ? this.#key.key : `${this.#key.key}-${count}`
      const { signal, onProgress } = this.#how
      const started = endpointOf(this.#shared.service, this.#job.endpoint)(body, { idempotencyKey, signal })
      try {
        // Only videos report progress. All other requests need no more than one long poll.
        const reports = this.#job.endpoint.startsWith('videos/')
        if (!reports) onProgress('processing')
        const request = await started.wait({
          signal,
          ...(reports && { onProgress: (seen: MediaRequest) => onProgress(wordsOf(seen)) }),
        })
        const isReplay = (await started.withResponse()).response.headers.has('idempotent-replayed')
        return { ...presentDone(request, signal), isEarlier: wasBegun && isReplay }
      } catch (error) {
        if (error instanceof ApiError && error.code === 'idempotency_key_reused') throw doneElsewhere()
        if (error instanceof ApiError && error.code === 'idempotency_key_in_use' && Date.now() < heldUntil) {
          onProgress('waiting for an earlier call with this key')
          await delay(KEY_PAUSE_MS, undefined, { signal })
          continue
        }
        const isOver = error instanceof RequestFailedError || error instanceof RequestAbortedError
        if (!isOver || count === MAX_ENDED) throw error
        const { response } = await started.withResponse()
        if (!response.headers.has('idempotent-replayed')) throw error
        count += 1
      }
    }
  }

  /** Deletes the upload of a finished job if the command has used its share of the account's storage. */
  async #releaseUpload(file: string): Promise<void> {
    const source = this.#shared.journal.uploadOf(file)
    if (source === undefined || this.#how.signal.aborted || this.#shared.room.left > 0) return
    await this.#shared.journal.upload(file, null)
    await this.#shared.service.uploads
      .delete(source.replace(/^upload:/, ''), { signal: this.#how.signal, maxRetries: 0 })
      .catch(() => undefined)
  }
}

const doneElsewhere = () =>
  new OperatorError(
    'The same request ran in the last 24 hours, but its journal is lost: --fresh processes it again and charges again.',
  )

function wordsOf(request: { id: number; status: string; progress?: number | undefined }): string {
  const percent = request.progress === undefined ? '' : `, ${request.progress} %`
  return `request ${request.id} is ${request.status}${percent}`
}

function presentDone(request: Succeeded, signal: AbortSignal): Done {
  const { result, price } = request
  const files = 'files' in result ? (result.files ?? []) : []
  return {
    data: result.data as Record<string, unknown>,
    price: microUsd(price.micro_usd),
    request,
    files: files.map((file) => ({
      format: file.format,
      size: file.size,
      sha256: file.sha256,
      saveTo: async (path) => await writeResult(file, path, signal),
    })),
  }
}

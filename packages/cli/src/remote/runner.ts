import { randomUUID } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { microUsd } from '@mediamill/contract/domain/money'
import type { Estimate, MediaRequest } from '@mediamill/sdk/src/api-types'
import { createKeyOf } from '@mediamill/sdk/src/batch/batch'
import { RequestFailedError } from '@mediamill/sdk/src/errors/request-errors'
import { openFile } from '@mediamill/sdk/src/files/open-file'
import type { Succeeded } from '@mediamill/sdk/src/resources/endpoint-of'
import { endpointOf } from '@mediamill/sdk/src/resources/endpoint-of'
import type { WaitNotice } from '@mediamill/sdk/src/transport/throttle'
import type { Job } from '../batch/job.ts'
import { withOverlay } from '../batch/overlays.ts'
import type { ProcessingOptions } from '../batch/processing-options.ts'
import type { Done, Runner } from '../batch/runner.ts'
import { writeResult } from '../outputs/save-file.ts'
import { accountDigest } from '../profiles/folders.ts'
import { connect } from './connect.ts'
import { noteName, openJournal } from './journal.ts'

type RemoteRunner = Runner & {
  estimate: (job: Job) => Promise<Estimate>
  /** Returns the idempotency key of a job. Jobs with the same key share one request. */
  keyOf: (job: Job) => Promise<string>
}

export async function openRemoteRunner(
  options: ProcessingOptions,
  signal: AbortSignal,
  onWait?: (notice: WaitNotice) => void,
): Promise<RemoteRunner> {
  const { service, account } = await connect(options, {
    isBatch: options.estimate !== true,
    ...(onWait && { onWait }),
  })
  const isFresh = options.fresh === true
  // Estimates are free, so they need no journal.
  const journal = isFresh || options.estimate === true ? undefined : await openJournal(account)
  const hashOf = createKeyOf(isFresh ? randomUUID() : accountDigest(account))
  const overlays = new Map<string, Promise<Blob>>()
  const overlayAt = (path: string) => {
    const opened = overlays.get(path) ?? openFile(path)
    overlays.set(path, opened)
    return opened
  }
  const bodyOf = (job: Job): Record<string, unknown> =>
    job.overlays.reduce((body, overlay) => withOverlay(body, overlay, overlayAt(overlay.path)), job.body)
  const keyOf = async (job: Job) => await hashOf(job.endpoint, { ...bodyOf(job), source: sourceOf(job) })
  const requestBefore = async (job: Job) => journal?.jobs.get(await keyOf(job))
  return {
    async *run(jobs, { onProgress }) {
      const sent: Parameters<typeof onProgress>[0][] = []
      const sources = async function* () {
        for await (const one of jobs) {
          sent.push(one)
          yield sourceOf(one.job)
        }
      }
      const at = (index: number) => sent[index] as (typeof sent)[number]
      // The parameters of the endpoints have different types. The service validates the body.
      const paramsOf = (_source: unknown, index: number) =>
        ({ endpoint: at(index).job.endpoint, ...bodyOf(at(index).job) }) as never
      const results = service.batch(sources(), paramsOf, {
        concurrency: options.concurrency,
        journal: journal?.path,
        signal,
        onSource: ({ index, ...state }) => onProgress(at(index), wordsOf(state)),
      })
      for await (const result of results) {
        const one = at(result.index)
        const request = result.ok ? result.request : failedRequest(result.error)
        const { source } = one.job
        if (request !== undefined && source.kind === 'file') await noteName(account, request.source, source.path)
        if (!result.ok) yield { ...one, ok: false, error: result.error }
        else yield { ...one, ok: true, done: presentDone(result.request as Succeeded, result.isEarlier, signal) }
      }
    },
    estimate: async (job) =>
      await endpointOf(service, job.endpoint).estimate({ ...bodyOf(job), source: sourceOf(job) }, { signal }),
    keyOf,
    filesBefore: async (job) => (await requestBefore(job))?.files,
    async doneBefore(job) {
      const id = (await requestBefore(job))?.request
      if (id === undefined) return undefined
      return presentDone(await service.requests.wait(id, { signal }), true, signal)
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

const sourceOf = ({ source }: Job) => (source.kind === 'url' ? source.url : pathToFileURL(source.path))

const failedRequest = (error: unknown) => (error instanceof RequestFailedError ? error.request : undefined)

type State = { request?: MediaRequest | undefined; sent?: number | undefined; size?: number | undefined }

function wordsOf({ request, sent = 0, size = 0 }: State): string {
  if (request === undefined) return sent < size ? `uploading ${Math.floor((100 * sent) / size)} %` : 'processing'
  const { id, status } = request
  return `request ${id} is ${status}${'progress' in request ? `, ${request.progress} %` : ''}`
}

function presentDone(request: Succeeded, isEarlier: boolean, signal: AbortSignal): Done {
  const { result, price } = request
  const files = 'files' in result ? (result.files ?? []) : []
  return {
    data: result.data as Record<string, unknown>,
    price: microUsd(price.micro_usd),
    isEarlier,
    request,
    files: files.map((file) => ({
      sha256: file.sha256,
      saveTo: async (path) => await writeResult(file, path, signal),
    })),
  }
}

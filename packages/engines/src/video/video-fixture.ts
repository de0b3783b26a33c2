import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { shared } from '@mediamill/lab/support/shared'
import type { ClipOptions } from '@mediamill/lab/support/video-clip'
import { makeClip } from '@mediamill/lab/support/video-clip'
import { x264Instructions } from '@mediamill/server/worker/x264-instructions'
import type { AdditionalInput, EngineCall, EngineDone, EngineJob } from '../protocol/messages.ts'
import type { CallWorker } from '../protocol/serve.ts'

export type TestedTask = (job: never, report: (percent: number) => void, callWorker: CallWorker) => Promise<EngineDone>

export type TestFolder = AsyncDisposable & {
  path: (name: string) => string
  /** Makes a clip and returns its path. */
  clip: (options: ClipOptions) => Promise<string>
  run: (task: TestedTask, file: string, format: VideoSourceFormat, options?: RunOptions) => Promise<BenchDone>
}

export type RunOptions = {
  parameters?: Record<string, unknown>
  operations?: Record<string, unknown>[]
  assets?: AdditionalInput[]
  limits?: Partial<EngineJob['limits']>
  fetchRange?: (request: Extract<EngineCall, { type: 'read' }>, input: string) => Promise<void>
  presentBytes?: number
  size?: number
}

export type BenchDone = EngineDone & { file: string; progress: number[]; requests: EngineCall[] }

const LIMITS = {
  maxFramePixels: 100_000_000,
  maxSourcePixels: 400_000_000,
  maxResultBytes: 2 ** 31,
  x264Instructions: x264Instructions(),
}

export async function openTestFolder(): Promise<TestFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-video-'))
  let clips = 0
  let jobs = 0
  return {
    path: (name) => join(folder, name),
    async clip(options) {
      clips += 1
      return (await makeClip(join(folder, `clip-${clips}`), options)).path
    },
    async run(task, file, format, options = {}) {
      const scratch = join(folder, `job-${jobs}`)
      jobs += 1
      await mkdir(scratch)
      const progress: number[] = []
      const requests: EngineCall[] = []
      const operations =
        options.operations === undefined ? {} : { operations: operationsSchema('video').parse(options.operations) }
      const job: EngineJob = {
        task: 'test',
        input: {
          path: file,
          format,
          size: options.size ?? (await stat(file)).size,
          ...(options.presentBytes !== undefined && { presentBytes: options.presentBytes }),
        },
        assets: options.assets ?? [],
        parameters: { ...options.parameters, ...operations },
        scratch,
        limits: { ...LIMITS, ...options.limits },
      }
      const done = await task(
        // The test passes valid parameters for the task.
        job as never,
        (percent) => progress.push(percent),
        async (request) => {
          requests.push(request)
          if (request.type === 'read') await options.fetchRange?.(request, file)
        },
      )
      return { ...done, file: done.files[0]?.path ?? '', progress, requests }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

export const sharedTestFolder = async (): Promise<TestFolder> => shared(await openTestFolder())

import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import type { EngineAsk, EngineAsset, EngineDone, EngineJob } from '../protocol/messages.ts'
import type { AskWorker } from '../protocol/serve.ts'

/** A task of any endpoint. */
export type TestedTask = (job: never, report: (percent: number) => void, ask: AskWorker) => Promise<EngineDone>

/** A folder for the files of a test's videos; dispose of it. */
export type Bench = AsyncDisposable & {
  path: (name: string) => string
  /** Has a task do its work on a file in this process; what it reports and asks for is kept. */
  run: (task: TestedTask, file: string, format: VideoSourceFormat, options?: BenchOptions) => Promise<BenchDone>
}

export type BenchOptions = {
  parameters?: Record<string, unknown>
  operations?: Record<string, unknown>[]
  assets?: EngineAsset[]
  limits?: Partial<EngineJob['limits']>
  /** Only so many bytes of the file are there, and more are brought as they are asked for. */
  bring?: (request: Extract<EngineAsk, { type: 'read' }>, input: string) => Promise<void>
  presentBytes?: number
  size?: number
  thumbnail?: boolean
}

export type BenchDone = EngineDone & { file: string; progress: number[]; requests: EngineAsk[] }

const LIMITS = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000, maxResultBytes: 2 ** 31 }

/** Opens a bench beneath the system's folder for such things. */
export async function openBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-video-'))
  let jobs = 0
  return {
    path: (name) => join(folder, name),
    async run(task, file, format, options = {}) {
      const scratch = join(folder, `job-${jobs}`)
      jobs += 1
      await mkdir(scratch)
      const progress: number[] = []
      const requests: EngineAsk[] = []
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
        ...(options.thumbnail === true && { thumbnail: true }),
      }
      const done = await task(
        // It is handed what the test says are its endpoint's parameters.
        job as never,
        (percent) => progress.push(percent),
        async (request) => {
          requests.push(request)
          if (request.type === 'read') await options.bring?.(request, file)
        },
      )
      return { ...done, file: done.files[0]?.path ?? '', progress, requests }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

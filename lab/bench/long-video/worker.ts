import { copyFile, link, stat } from 'node:fs/promises'
import path from 'node:path'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import type { AdditionalInput, EngineDone } from '@mediamill/engines/protocol/messages'
import { SEGMENT_TASKS } from '@mediamill/media/plan/video-segments'
import type { SparseFile } from '@mediamill/server/outbound/fetch/source-file'
import { KeptConnections } from '@mediamill/server/outbound/kept-connections'
import { FIRST_BYTES, FIRST_BYTES_OF_SEGMENT, fetchRest } from '@mediamill/server/worker/segments/segment-source'
import { downloadSource, LIMITS, openSource, openVideoEngines } from '../video-engines.ts'

/** A job of the benchmark. `parts` are the files of the segments to join. A job that joins has no source. */
export type BenchJob = {
  task: string
  parameters: Record<string, unknown>
  source?: { file: string; url: string; host: string; format: VideoSourceFormat; isByRanges: boolean }
  parts?: string[]
  keep?: string
}

export type BenchReply = { id: number } & ({ done: EngineDone } | { error: string })

const engines = await openVideoEngines(process.argv[2] ?? '', 1)
const { scratch, isolation } = engines
// Connections are reused, as in a worker of the service, which separates the connections of different accounts.
const connections = new KeptConnections().of(1)

process.on('message', ({ id, job }: { id: number; job: BenchJob }) => {
  work(job).then(
    (done) => process.send?.({ id, done }),
    (error: unknown) =>
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
process.once('disconnect', () => {
  void endEngines()
})
process.send?.({ tier: isolation.tier })
await new Promise(() => {})

async function endEngines(): Promise<void> {
  await engines[Symbol.asyncDispose]()
  process.exit()
}

async function work({ task, parameters, source, parts: segments = [], keep }: BenchJob): Promise<EngineDone> {
  await using folder = scratch.jobFolder()
  const input = path.join(folder.path, 'source')
  const firstBytes = task === SEGMENT_TASKS.part ? FIRST_BYTES_OF_SEGMENT : FIRST_BYTES
  await using sparse =
    source?.isByRanges === true ? await openSource(source, input, { firstBytes, connections }) : undefined
  if (source !== undefined && sparse === undefined) await downloadSource(source, input)
  if (task === 'copy') return await copyRest(sparse)
  const assets = await Promise.all(segments.map((file, number) => linkSegment(file, number, folder.path)))
  const file = source && { path: input, format: source.format, size: (await stat(source.file)).size }
  const present = sparse && sparse.presentBytes < sparse.size ? { presentBytes: sparse.presentBytes } : {}
  const job = { task, parameters, assets, scratch: folder.path, limits: LIMITS }
  // Planning uses the engine that reads metadata, which serves many jobs. Other engines start once per job.
  const engine = task === SEGMENT_TASKS.plan ? engines.video_look : engines.video
  const done = await engine.run(file === undefined ? job : { ...job, input: { ...file, ...present } }, {
    signal: AbortSignal.timeout(3_600_000),
    deadlineMs: 3_600_000,
    ...(task === SEGMENT_TASKS.part && { series: { id: 1, hasMore: true } }),
    ...(task === SEGMENT_TASKS.join && { series: { id: 1, hasMore: false } }),
    async onCall(asked) {
      if (asked.type === 'read') await sparse?.fetch(asked.offset, asked.length)
    },
  })
  const made = done.files[0]?.path
  if (keep !== undefined && made !== undefined) await copyFile(made, keep)
  return done
}

/** Downloads the rest of a source. In the service, the worker that planned does this while others process segments. */
async function copyRest(source: SparseFile | undefined): Promise<EngineDone> {
  if (source !== undefined) await fetchRest(source, AbortSignal.timeout(3_600_000))
  return { data: {}, files: [], units: 1 }
}

async function linkSegment(file: string, number: number, folder: string): Promise<AdditionalInput> {
  const to = path.join(folder, `part-${number}`)
  await link(file, to).catch(() => copyFile(file, to))
  return { url: String(number), path: to, format: 'MP4', size: (await stat(to)).size }
}

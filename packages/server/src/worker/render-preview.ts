import { join } from 'node:path'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { MediaType } from '@mediamill/contract/domain/media'
import { mediaTypeOf, OUTPUT } from '@mediamill/contract/domain/media'
import type { MediaRequest, ResultFile } from '@mediamill/contract/domain/request'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import { workOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone, EngineFile, EngineResultFile } from '@mediamill/engines/protocol/messages'
import { addPreview } from '../db/previews.ts'
import type { StampClaim } from '../db/uploads/stamps.ts'
import { settleStamp } from '../db/uploads/stamps.ts'
import type { SparseFile } from '../outbound/fetch/source-file.ts'
import { findLinked } from '../requests/find.ts'
import { keptFile } from '../requests/result-files.ts'
import type { WorkerContext } from './job-context.ts'
import { engineOf } from './job-context.ts'
import { engineLimitsOf } from './job-limits.ts'
import { openStoredFile } from './stored-file.ts'

const SIDE = 256

const MAX_BYTES = 64 * 1024 * 1024

const FIRST_BYTES = 256 * 1024

/** A preview of a video shows the frame at this time, because the first frame is often black. */
const MAX_SECONDS = 1

type Rendering = { folder: string; signal: AbortSignal; deadlineMs: number }

export async function renderPreview(
  context: WorkerContext,
  claim: Omit<StampClaim, 'stamp'>,
  requestId: RequestId,
  signal: AbortSignal,
): Promise<void> {
  const { sql, store, scratch } = context
  const request = (await findLinked(sql, requestId))?.request
  const file = request && keptFile(request)
  if (request === undefined || file === undefined || request.accountId !== claim.accountId) throw expired()
  await using folder = scratch.jobFolder()
  const rendering = { folder: folder.path, signal, deadlineMs: Math.max(1, claim.leftMs) }
  const still = await drawStill(context, request, file, rendering)
  const preview = await shrink(context, still, rendering)
  const previewKey = await store.put(preview.path, preview.format, requestId)
  if (!(await addPreview(sql, requestId, { fileKey: file.key, previewKey }))) await store.delete(previewKey)
  await settleStamp(sql, claim, { status: 'drawn', width: SIDE, height: SIDE }, null)
}

async function drawStill(
  context: WorkerContext,
  request: MediaRequest,
  file: ResultFile,
  rendering: Rendering,
): Promise<EngineFile> {
  const media = mediaOf(file)
  const path = join(rendering.folder, 'source')
  const bounds = media === 'video' ? { maxBytes: file.size, firstBytes: FIRST_BYTES } : { maxBytes: MAX_BYTES }
  await using source = await openStoredFile(context.store, [file], path, { ...bounds, signal: rendering.signal })
  const { size, presentBytes } = source
  const input = { path, format: sourceFormatOf(file), size, ...(presentBytes < size && { presentBytes }) }
  if (media === 'image') return input
  const output = { format: 'jpg' }
  const drawn =
    media === 'document'
      ? await runTask(context, 'documents/snapshot', { page: 1, output }, { input, source, ...rendering })
      : await runTask(
          context,
          'videos/screenshot',
          { seconds: secondsOf(request), output },
          { input, source, ...rendering },
        )
  return { path: drawn.path, format: 'JPEG', size: drawn.size }
}

async function shrink(context: WorkerContext, input: EngineFile, rendering: Rendering): Promise<EngineResultFile> {
  // A PNG contains one frame of an animation. A WebP would contain all frames.
  const format = input.format === 'GIF' || input.format === 'WEBP' ? 'png' : 'webp'
  const operations = [{ type: 'thumbnail', width: SIDE, height: SIDE }]
  return await runTask(context, 'images/process', { operations, output: { format } }, { input, ...rendering })
}

async function runTask(
  { engines, limits }: WorkerContext,
  task: EndpointName,
  body: Record<string, unknown>,
  { input, source, folder, signal, deadlineMs }: Rendering & { input: EngineFile; source?: SparseFile },
): Promise<EngineResultFile> {
  const { endpoint, work } = workOf({ endpoint: task, input: body })
  const job = { ...work, input, assets: [], scratch: folder, limits: engineLimitsOf(limits, endpoint.media) }
  const { files }: EngineDone = await engineOf(engines, endpoint.lane).run(job, {
    signal,
    deadlineMs,
    async onCall(call) {
      if (call.type === 'read') await source?.fetch(call.offset, call.length)
    },
  })
  const [file] = files
  if (file === undefined) throw new Error('an engine rendered no preview')
  return file
}

function secondsOf(request: MediaRequest): number {
  const duration = request.status === 'succeeded' ? Number(request.data['duration']) : Number.NaN
  return Number.isFinite(duration) ? Math.min(MAX_SECONDS, duration / 2) : 0
}

const mediaOf = (file: ResultFile): MediaType => mediaTypeOf(sourceFormatOf(file))

function sourceFormatOf({ format }: ResultFile): EngineFile['format'] {
  if (format in OUTPUT.image) return OUTPUT.image[format as keyof typeof OUTPUT.image].name
  return format === 'mp4' ? 'MP4' : 'PDF'
}

const expired = () => new RequestFailure('source_unreachable', 'The result has expired or was deleted.')

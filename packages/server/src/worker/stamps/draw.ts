import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import { STAMP_TASK } from '@mediamill/contract/domain/rendering/stamp'
import { joinList } from '@mediamill/contract/lib/format-text'
import type { EngineFile } from '@mediamill/engines/protocol/messages'
import { sniff } from '@mediamill/media/formats/sniff'
import type { StampClaim } from '../../db/uploads/stamps.ts'
import { settleStamp } from '../../db/uploads/stamps.ts'
import { DOWNLOAD_MS, download } from '../../outbound/fetch/download.ts'
import { findStoredSource } from '../../uploads/stored-source.ts'
import type { UploadReceiver } from '../../uploads/upload-receiver.ts'
import type { WorkerContext } from '../job-context.ts'
import { engineOf } from '../job-context.ts'
import { openStoredFile } from '../stored-file.ts'
import { TextWatermarkAbandoned } from './text-watermark-loop.ts'

export type DrawContext = WorkerContext & { receiver: UploadReceiver }

type Drawn = StampClaim & { stamp: Stamp }

export async function drawStamp(context: DrawContext, claim: Drawn, signal: AbortSignal): Promise<void> {
  await using folder = context.scratch.jobFolder()
  const input = claim.stamp.type === 'image' ? await fetchSource(context, claim, folder.path, signal) : undefined
  const { engines, limits, receiver } = context
  const job = {
    task: STAMP_TASK,
    input,
    assets: [],
    parameters: claim.stamp,
    scratch: folder.path,
    limits: {
      maxFramePixels: limits.framePixels,
      maxSourcePixels: limits.sourcePixels,
      maxResultBytes: limits.watermarkBytes,
    },
  }
  const deadlineMs = Math.max(1, Math.min(claim.leftMs, limits.deadlineMs.image))
  const { data, files } = await engineOf(engines, 'image').run(job, { signal, deadlineMs })
  const [file] = files
  if (file === undefined) throw new Error('an engine drew no text watermark')
  const size = { width: Number(data['width']), height: Number(data['height']) }
  await keepStamp(
    receiver,
    claim,
    { bytes: file.size, ...size },
    () => createReadStream(file.path) as AsyncIterable<Buffer>,
  )
}

/** Stores an image and completes its text watermark in one transaction. */
export async function keepStamp(
  receiver: UploadReceiver,
  claim: StampClaim,
  { bytes, width, height }: { bytes: number; width: number; height: number },
  read: () => AsyncIterable<Buffer>,
): Promise<{ id: string }> {
  const allowance = { quotaBytes: claim.quotaBytes }
  return await receiver.receiveWhole(claim, { size: bytes }, allowance, read, async (tx, { id }) => {
    if (!(await settleStamp(tx, claim, { status: 'drawn', width, height }, id))) throw new TextWatermarkAbandoned()
  })
}

async function fetchSource(
  { sql, links, store, network }: WorkerContext,
  claim: Drawn,
  folder: string,
  signal: AbortSignal,
): Promise<EngineFile | undefined> {
  if (claim.stamp.type !== 'image') return undefined
  const { source } = claim.stamp
  const path = join(folder, 'source')
  const options = { maxBytes: claim.sourceBytes, network, signal }
  const deadlineMs = Math.min(DOWNLOAD_MS.image, claim.leftMs)
  const stored = await findStoredSource(sql, links, claim, source)
  await using file =
    stored === undefined
      ? await download(source, path, { ...options, deadlineMs })
      : await openStoredFile(store, stored, path, options)
  return { path, size: file.size, format: imageFormat(file.head) }
}

function imageFormat(head: Buffer): EngineFile['format'] {
  const format = sniff(head)
  const known = SOURCE_FORMATS.image.find((name) => name === format)
  if (known !== undefined) return known
  const formats = `The source must be a ${joinList(SOURCE_FORMATS.image, 'or')} file.`
  throw new RequestFailure('unsupported_media', `The source is not a supported image. ${formats}`)
}

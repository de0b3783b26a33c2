import { constants } from 'node:fs'
import { copyFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { THUMBNAIL_TASK } from '@mediamill/contract/domain/drawn/thumbnail'
import type { EngineDone, EngineJob } from '@mediamill/engines/protocol/messages'
import type { EngineHost } from '../supervisor/engine-host.ts'
import type { JobContext } from './job-context.ts'

/** A page that takes longer has none: nobody waits for a thumbnail. */
const DEADLINE_MS = 2_000

/** A larger document has none: it is copied and read once more. */
const MAX_BYTES = 32 * 1024 * 1024

type Made = { job: EngineJob; done: EngineDone; signal: AbortSignal }

/**
 * Adds a thumbnail to a PDF that an engine has made. None, where it cannot be drawn.
 *
 * A page may take long to draw, or break PDFium. So it is a job of its own on a copy: by then the result is safe.
 */
export async function withPdfThumbnail(
  { thumbnails, scratch, log }: Pick<JobContext, 'thumbnails' | 'scratch' | 'log'>,
  engine: EngineHost,
  { job, done, signal }: Made,
): Promise<EngineDone> {
  const [file] = done.files
  if (thumbnails !== 'all' || file?.format !== 'pdf' || file.size > MAX_BYTES) return done
  try {
    await using folder = scratch.jobFolder()
    const path = join(folder.path, 'result.pdf')
    await copyFile(file.path, path, constants.COPYFILE_FICLONE)
    const input = { path, format: 'PDF' as const, size: file.size }
    const { limits } = job
    const drawing = { task: THUMBNAIL_TASK, input, assets: [], parameters: {}, scratch: folder.path, limits }
    const { thumbnail } = await engine.run(drawing, { signal, deadlineMs: DEADLINE_MS })
    if (thumbnail === undefined) return done
    const kept = join(job.scratch, 'thumbnail.webp')
    // A rename follows no link, and the store looks at what it is once more.
    await rename(thumbnail.path, kept)
    return { ...done, thumbnail: { path: kept, size: thumbnail.size } }
  } catch (error) {
    signal.throwIfAborted()
    log.info({ err: error }, 'the first page of a result could not be drawn for its thumbnail')
    return done
  }
}

import { randomBytes } from 'node:crypto'
import { constants, createWriteStream, rmSync } from 'node:fs'
import { copyFile, link, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { DownloadableFile } from '@mediamill/sdk/src/files/result-file'

const drafts = new Set<string>()

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'your disk quota is used up',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

export class FileExistsError extends OperatorError {
  override name = 'FileExistsError'

  constructor(path: string) {
    super(`${path} already exists. Use --force to overwrite it.`)
  }
}

/** Writes a file. It has a temporary name until it is complete. Replaces an existing file only with `force`. */
export async function saveFile(path: string, force: boolean, write: (draft: string) => Promise<void>): Promise<void> {
  const folder = dirname(path)
  const draft = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.part`)
  try {
    const there = await lstat(path).catch(() => undefined)
    if (there !== undefined && !there.isFile() && !there.isSymbolicLink())
      throw new OperatorError(`${path} is not a regular file and cannot be overwritten. Use -o - for stdout.`)
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      // The path is a file, which `--force` does not replace.
      throw codeOf(cause) === 'EEXIST' ? new OperatorError(`${folder} is not a folder.`, { cause }) : cause
    })
    if (drafts.size === 0) process.once('exit', removeDrafts)
    drafts.add(draft)
    await write(draft)
    if (force) await rename(draft, path)
    else await linkUnlessExists(draft, path)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') throw new FileExistsError(path)
    if (code === undefined) throw error
    throw new OperatorError(`${path} cannot be written (${REASONS[code] ?? code}).`, { cause: error })
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
    drafts.delete(draft)
    if (drafts.size === 0) process.removeListener('exit', removeDrafts)
  }
}

/** Gives a draft its final path, unless the path exists. Copies the file on file systems without hard links. */
async function linkUnlessExists(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error
    await copyFile(draft, path, constants.COPYFILE_EXCL)
  }
}

function removeDrafts(): void {
  for (const draft of drafts) rmSync(draft, { force: true })
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^E[A-Z]+$/.test(error.code) ? error.code : undefined
}

/** Downloads a result to `draft`, which Ctrl-C deletes. The SDK's `save()` would write another temporary file. */
export async function writeResult(made: DownloadableFile, draft: string, signal?: AbortSignal): Promise<void> {
  const stream = made.stream({ signal }) as ReadableStream<Uint8Array>
  await pipeline(Readable.fromWeb(stream), createWriteStream(draft, { flags: 'wx' }), { signal })
}

import { createHash, randomBytes } from 'node:crypto'
import { constants, createWriteStream, rmSync } from 'node:fs'
import { copyFile, link, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { DownloadableFile } from '@mediamill/sdk/src/files/result-file'
import { fileErrorCode, fileErrorReason } from '../file-error.ts'

const drafts = new Set<string>()

/** Identifies this machine, because several machines can save results in one folder. */
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

const DRAFT = /^\.mediamill\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.part$/

/** The folders from which this process has removed drafts of killed processes. */
const sweptFolders = new Set<string>()

export class FileExistsError extends OperatorError {
  override name = 'FileExistsError'

  constructor(path: string) {
    super(`${path} already exists. Use --force to overwrite it.`)
  }
}

/** Writes a file. It has a temporary name until it is complete. Replaces an existing file only with `force`. */
export async function saveFile(path: string, force: boolean, write: (draft: string) => Promise<void>): Promise<void> {
  const folder = dirname(path)
  const id = `${MACHINE}-${process.pid}-${randomBytes(4).toString('hex')}`
  // Without the name of the file, which can already have the maximum length.
  const draft = join(folder, `.mediamill.${id}.part`)
  try {
    const there = await lstat(path).catch(() => undefined)
    if (there !== undefined && !there.isFile() && !there.isSymbolicLink())
      throw new OperatorError(`${path} is not a regular file and cannot be overwritten. Use -o - for stdout.`)
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      // The path is a file, which `--force` does not replace.
      throw fileErrorCode(cause) === 'EEXIST' ? new OperatorError(`${folder} is not a folder.`, { cause }) : cause
    })
    await removeOldDrafts(folder)
    if (drafts.size === 0) process.once('exit', removeDrafts)
    drafts.add(draft)
    await write(draft)
    if (force) await rename(draft, path)
    else await linkUnlessExists(draft, path)
  } catch (error) {
    if (fileErrorCode(error) === 'EEXIST') throw new FileExistsError(path)
    const reason = fileErrorReason(error)
    if (reason === undefined) throw error
    throw new OperatorError(`${path} cannot be written (${reason}).`, { cause: error })
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
    if (fileErrorCode(error) === 'EEXIST') throw error
    await copyFile(draft, path, constants.COPYFILE_EXCL)
  }
}

/** Removes drafts of processes that were killed on this machine. Ignores drafts that this user cannot list or remove. */
async function removeOldDrafts(folder: string): Promise<void> {
  if (sweptFolders.has(folder)) return
  sweptFolders.add(folder)
  for (const name of await readdir(folder).catch(() => [])) {
    const [, machine, pid] = DRAFT.exec(name) ?? []
    if (machine === MACHINE && !isRunning(Number(pid)))
      await rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return fileErrorCode(error) === 'EPERM'
  }
}

function removeDrafts(): void {
  for (const draft of drafts) rmSync(draft, { force: true })
}

/** Downloads a result to `draft`, which Ctrl-C deletes. The SDK's `save()` would write another temporary file. */
export async function writeResult(made: DownloadableFile, draft: string, signal?: AbortSignal): Promise<void> {
  const stream = made.stream({ signal }) as ReadableStream<Uint8Array>
  await pipeline(Readable.fromWeb(stream), createWriteStream(draft, { flags: 'wx' }), { signal })
}

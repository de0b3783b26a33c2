import { randomBytes } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { copyFile, link, lstat, mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'

/** Temporary files that are being written. They are deleted when the process ends. */
const drafts = new Set<string>()

/** The file already exists, and `--force` is not set. */
export class FileExistsError extends OperatorError {
  override name = 'FileExistsError'

  constructor(path: string) {
    super(`${path} already exists. Use --force to overwrite it.`)
  }
}

/** Writes a temporary file, and renames it when it is complete. Replaces an existing file only with `force`. */
export async function saveNew(path: string, force: boolean, write: (draft: string) => Promise<void>): Promise<void> {
  const folder = dirname(path)
  const draft = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.part`)
  try {
    const there = await lstat(path).catch(() => undefined)
    if (there !== undefined && !there.isFile() && !there.isSymbolicLink())
      throw new OperatorError(`${path} is not a regular file and cannot be overwritten. Use -o - for stdout.`)
    await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
      // The folder is a file, which `--force` does not replace.
      throw codeOf(cause) === 'EEXIST' ? new OperatorError(`${folder} is not a folder.`, { cause }) : cause
    })
    if (drafts.size === 0) process.once('exit', removeDrafts)
    drafts.add(draft)
    await write(draft)
    if (force) await rename(draft, path)
    else await nameNew(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new FileExistsError(path)
    if (codeOf(error) === undefined) throw error
    throw new OperatorError(`${path} cannot be written (${codeOf(error)}).`, { cause: error })
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
    drafts.delete(draft)
    if (drafts.size === 0) process.removeListener('exit', removeDrafts)
  }
}

/** Names the file if no file has that name. A link fails then, unlike a rename, but some file systems have no links. */
async function nameNew(draft: string, path: string): Promise<void> {
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

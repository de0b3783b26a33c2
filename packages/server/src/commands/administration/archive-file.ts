import { open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { codeOf } from '../../lib/error-code.ts'
import { syncFolder } from '../../store/disk.ts'

const compress = promisify(gzip)

type ArchiveFile = {
  append: (lines: readonly string[]) => Promise<void>
  bytes: () => number
  close: () => Promise<void>
}

/** Creates an archive of complete gzip members, so that it is readable if interrupted. Throws `OperatorError`. */
export async function createArchiveFile(path: string): Promise<ArchiveFile> {
  const file = await explained(path, () => open(path, 'wx', 0o600))
  let bytes = 0
  return {
    bytes: () => bytes,
    async append(lines) {
      const text = Buffer.from(`${lines.join('\n')}\n`)
      const data = path.endsWith('.gz') ? await compress(text) : text
      await explained(path, async () => {
        await file.writeFile(data)
        await file.sync()
        if (bytes === 0) await syncFolder(dirname(path))
      })
      bytes += data.length
    },
    async close() {
      await file.close()
      if (bytes === 0) await unlink(path)
    },
  }
}

async function explained<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    const reason = code === 'EEXIST' ? 'exists already: name a new file' : `could not be written (${String(code)})`
    throw new OperatorError(`${path} ${reason}.`, { cause: error })
  }
}

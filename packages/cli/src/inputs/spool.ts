import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { UsageError } from '../usage-error.ts'

/** A copy of stdin in a temporary file, because the command reads inputs several times. Disposing deletes it. */
type Spool = AsyncDisposable & { path: () => Promise<string> }

export function openSpool(signal: AbortSignal): Spool {
  let folder: string | undefined
  // All `-` arguments share one copy, because stdin can be read only once.
  let spooled: Promise<string> | undefined
  const spool = async () => {
    if (process.stdin.isTTY) throw new UsageError('- reads from stdin, but nothing is piped to it.')
    try {
      folder = await mkdtemp(join(tmpdir(), 'mediamill-stdin-'))
      const path = join(folder, 'stdin')
      await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal })
      return path
    } catch (error) {
      signal.throwIfAborted()
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      throw new OperatorError(`stdin cannot be saved in ${tmpdir()}${code}.`, { cause: error })
    }
  }
  return {
    path: async () => await (spooled ??= spool()),
    async [Symbol.asyncDispose]() {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

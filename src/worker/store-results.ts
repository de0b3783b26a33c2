import { lstat } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { RequestId } from '../domain/ids.ts'
import type { ResultFile } from '../domain/request.ts'
import type { EngineResultFile } from '../engines/protocol/messages.ts'
import { retry } from '../runtime/time/retry.ts'
import type { Store } from '../store/store.ts'

/** Between two tries: doubled each time, and never so long that a store that is back is left waiting. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * Puts the files of a result into the store, however long the store is away. So what was worked out is neither lost nor
 * worked out again. Rejects with the signal's reason when the request is stopped.
 */
export async function storeResults(
  store: Store,
  files: readonly EngineResultFile[],
  { requestId, signal, log }: { requestId: RequestId; signal: AbortSignal; log: Logger },
): Promise<ResultFile[]> {
  return await Promise.all(
    files.map(async ({ path, format, size, sha256 }) => {
      const put = () => store.put(path, format, requestId)
      return { key: await putUntilStored(put, path, signal, log), format, size, sha256 }
    }),
  )
}

async function putUntilStored(
  put: () => Promise<string>,
  path: string,
  signal: AbortSignal,
  log: Logger,
): Promise<string> {
  let failures = 0
  const key = await retry(put, {
    pauseMs: (tries) => Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2),
    async onFailure(error, tries) {
      if (!(await isFile(path))) throw error
      if (tries === 1) log.error({ err: error }, 'the store did not take a result; trying until it does')
      failures = tries
    },
    signal,
  })
  if (failures > 0) log.info('the store took the result after all')
  return key
}

async function isFile(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

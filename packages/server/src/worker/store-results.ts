import { lstat } from 'node:fs/promises'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { ResultFile } from '@mediamill/contract/domain/request'
import type { Logger } from 'pino'
import { settleAll } from '../lib/settle-all.ts'
import { retry } from '../lib/time/retry.ts'
import type { Store } from '../store/store.ts'
import type { MadeFile } from './made-files.ts'

/** The pauses between tries. They double up to a limit, so that the worker retries soon after an outage. */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000

export const storePauseMs = (tries: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_PAUSE_MS) * (0.75 + Math.random() / 2)

type Attempt = { requestId: RequestId; signal: AbortSignal; log: Logger }

/** Stores the result files. While the store is unavailable, retries, so that the work is not lost. */
export async function storeResults(
  store: Store,
  files: readonly MadeFile[],
  { requestId, signal, log }: Attempt,
): Promise<ResultFile[]> {
  const { done, failure } = await settleAll(files, async ({ path, ...file }): Promise<ResultFile> => {
    const put = () => store.put(path, file.format, requestId)
    return { key: await putUntilStored(put, path, signal, log), ...file }
  })
  if (failure === undefined) return done
  await Promise.allSettled(done.map(({ key }) => store.delete(key)))
  throw failure.reason
}

async function putUntilStored(
  put: () => Promise<string>,
  path: string,
  signal: AbortSignal,
  log: Logger,
): Promise<string> {
  let failures = 0
  const key = await retry(put, {
    pauseMs: storePauseMs,
    async onFailure(error, tries) {
      if (!(await isFile(path))) throw error
      if (tries === 1) log.debug({ err: error }, 'storing a result failed; retrying')
      failures = tries
    },
    signal,
  })
  if (failures > 0) log.debug('result stored after retries')
  return key
}

async function isFile(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

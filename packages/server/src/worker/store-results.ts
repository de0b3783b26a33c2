import { lstat } from 'node:fs/promises'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { ResultFile } from '@mediamill/contract/domain/request'
import type { EngineDone } from '@mediamill/engines/protocol/messages'
import type { Logger } from 'pino'
import { retry } from '../lib/time/retry.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import type { Store } from '../store/store.ts'

/** Between two tries: doubled each time, and never so long that a store that is back is left waiting. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** A thumbnail that takes longer to store is left to the sweep of orphans. */
const THUMBNAIL_MS = 5_000

/** The pause before the store is tried again. It is in milliseconds; `tries` is how often it failed. */
export const storePauseMs = (tries: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2)

type Attempt = { requestId: RequestId; signal: AbortSignal; log: Logger }

/**
 * Puts the files of a result into the store, however long the store is away. So what was worked out is neither lost nor
 * worked out again. Rejects with the signal's reason when the request is stopped.
 *
 * The thumbnail is tried once, beside them: where the store does not take it, the result has none.
 */
export async function storeResults(
  store: Store,
  { files, thumbnail: made }: Pick<EngineDone, 'files' | 'thumbnail'>,
  attempt: Attempt,
): Promise<ResultFile[]> {
  const { requestId, signal, log } = attempt
  const [stored, thumbnail] = await Promise.all([
    Promise.all(
      files.map(async ({ path, format, size, sha256 }): Promise<ResultFile> => {
        const put = () => store.put(path, format, requestId)
        return { key: await putUntilStored(put, path, signal, log), format, size, sha256 }
      }),
    ),
    made === undefined ? undefined : storeThumbnail(store, made.path, attempt),
  ])
  return stored.map((file, index) => (index === 0 && thumbnail !== undefined ? { ...file, thumbnail } : file))
}

async function storeThumbnail(store: Store, path: string, { requestId, log }: Attempt): Promise<string | undefined> {
  try {
    return await withTimeout(store.put(path, 'webp', requestId), THUMBNAIL_MS, () => undefined)
  } catch (error) {
    log.info({ err: error }, 'the store did not take a thumbnail; the result has none')
    return undefined
  }
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

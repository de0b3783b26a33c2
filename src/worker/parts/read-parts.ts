import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { RequestFailure } from '../../domain/errors.ts'
import type { EngineAsset } from '../../engines/protocol/messages.ts'
import type { DonePart } from '../../requests/parts/line.ts'
import { retry } from '../../runtime/time/retry.ts'
import type { Store } from '../../store/store.ts'
import { openStoredFile } from '../stored-file.ts'

/** Part files that are read from the store at once. */
const AT_ONCE = 4

/** Between two tries while the store is away. */
const PAUSE_MS = 2_000

export type Reading = { folder: string; signal: AbortSignal; log: Logger; pauseMs?: number }

/**
 * Reads the files of all parts into a folder, however long the store is away: hours of work may lie in them.
 *
 * `undefined`: one of them is not there any more.
 */
export async function readParts(
  store: Pick<Store, 'open'>,
  made: readonly DonePart[],
  { folder, signal, log, pauseMs = PAUSE_MS }: Reading,
): Promise<EngineAsset[] | undefined> {
  const assets: EngineAsset[] = []
  const left = [...made.entries()]
  const readOne = async ([index, { key, size }]: [number, DonePart]) => {
    const path = join(folder, `part-${index}`)
    await using _file = await openStoredFile(store, [{ key, size }], path, { maxBytes: size, signal })
    assets[index] = { url: String(index), path, format: 'MP4', size }
  }
  const read = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const part = next
      await retry(() => readOne(part), {
        pauseMs,
        async onFailure(error, tries) {
          if (error instanceof RequestFailure || signal.aborted) throw error
          if (tries === 1) log.warn({ err: error }, 'the store did not give a part of a video; trying until it does')
          await rm(join(folder, `part-${part[0]}`), { force: true })
        },
        signal,
      })
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, read))
    return assets
  } catch (error) {
    if (error instanceof RequestFailure) return undefined
    throw error
  }
}

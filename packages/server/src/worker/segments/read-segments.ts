import { join } from 'node:path'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { AdditionalInput } from '@mediamill/engines/protocol/messages'
import type { Logger } from 'pino'
import type { DoneSegment } from '../../requests/segments/queue.ts'
import type { Store } from '../../store/store.ts'
import { onStoreAway, openStoredFile } from '../stored-file.ts'

const AT_ONCE = 4

type Reading = { folder: string; signal: AbortSignal; log: Logger }

/** Reads finished segments. While the store is unavailable, waits, because the segments may be hours of work. */
export async function readSegments(
  store: Pick<Store, 'open'>,
  made: readonly DoneSegment[],
  { folder, signal, log }: Reading,
): Promise<AdditionalInput[] | undefined> {
  const assets: AdditionalInput[] = []
  const left = [...made.entries()]
  const read = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { key, size }] = next
      const path = join(folder, `part-${index}`)
      const options = { maxBytes: size, signal, onAway: onStoreAway(log) }
      await using _file = await openStoredFile(store, [{ key, size }], path, options)
      assets[index] = { url: String(index), path, format: 'MP4', size }
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

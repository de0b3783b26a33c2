import type { FileHandle } from 'node:fs/promises'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Logger } from 'pino'
import { retry } from '../lib/time/retry.ts'
import { writeAt } from '../lib/write-at.ts'
import type { FetchSubject } from '../outbound/fetch/fetch.ts'
import type { SparseFile } from '../outbound/fetch/source-file.ts'
import { tooLarge } from '../outbound/fetch/stream-body.ts'
import type { Store } from '../store/store.ts'
import type { StoredFile } from '../uploads/stored-source.ts'
import { openCopy } from './open-copy.ts'
import { storePauseMs } from './store-results.ts'

type StoredOptions = {
  maxBytes: number
  signal: AbortSignal
  subject?: FetchSubject
  received?: { bytes: number }
  firstBytes?: number
  /** Called before the first retry if the store is unavailable. Without this function, the first error is thrown. */
  onAway?: (error: unknown) => void
}

export const onStoreAway =
  (log: Logger) =>
  (error: unknown): void =>
    log.debug({ err: error }, 'reading a stored file failed; retrying')

export async function openStoredFile(
  store: Pick<Store, 'open'>,
  stored: StoredFile,
  path: string,
  options: StoredOptions,
): Promise<SparseFile> {
  const size = stored.reduce((sum, part) => sum + part.size, 0)
  if (size === 0) throw fileMissing(options)
  if (size > options.maxBytes) throw tooLarge(options, size)
  return await openCopy(path, { size, firstBytes: options.firstBytes ?? size }, (file, range) =>
    copyRange(store, stored, file, range, options),
  )
}

async function copyRange(
  store: Pick<Store, 'open'>,
  stored: StoredFile,
  file: FileHandle,
  { start, end }: { start: number; end: number },
  options: StoredOptions,
): Promise<void> {
  let partStart = 0
  for (const { key, size } of stored) {
    const from = Math.max(start, partStart)
    const to = Math.min(end, partStart + size)
    if (from < to) {
      const range = { start: from - partStart, end: to - partStart - 1 }
      await untilAvailable(options, () => copyPart(store, key, range, file, from, options))
    }
    partStart += size
  }
}

const SHORT_TRIES = 5

class ShortRead extends Error {}

/** Thrown if the local disk failed, not the store. */
class NotWritten extends Error {}

/**
 * Repeats a copy until the store is available, so that an accepted request does not fail. Without `onAway`, throws the
 * first error.
 */
async function untilAvailable({ onAway, signal }: StoredOptions, copy: () => Promise<void>): Promise<void> {
  await retry(copy, {
    pauseMs: storePauseMs,
    onFailure(error, tries) {
      if (onAway === undefined || error instanceof RequestFailure || error instanceof NotWritten || signal.aborted)
        throw error
      if (error instanceof ShortRead && tries >= SHORT_TRIES) throw error
      if (tries === 1) onAway(error)
    },
    signal,
  })
}

async function copyPart(
  store: Pick<Store, 'open'>,
  key: string,
  range: { start: number; end: number },
  file: FileHandle,
  at: number,
  options: StoredOptions,
): Promise<void> {
  const opened = await store.open(key, range)
  if (opened === undefined) throw fileMissing(options)
  const stop = () => opened.body.destroy(options.signal.reason instanceof Error ? options.signal.reason : undefined)
  options.signal.addEventListener('abort', stop, { once: true })
  let position = at
  try {
    for await (const chunk of opened.body as AsyncIterable<Buffer>) {
      await writeAt(file, chunk, position).catch((cause: unknown) => {
        throw new NotWritten('a source could not be written', { cause })
      })
      position += chunk.length
    }
    options.signal.throwIfAborted()
  } finally {
    options.signal.removeEventListener('abort', stop)
  }
  if (position !== at + range.end - range.start + 1) throw new ShortRead('the store returned too few bytes of a file')
  // If bytes are read again after an error, they are counted only once.
  if (options.received !== undefined) options.received.bytes += position - at
}

function fileMissing({ subject = 'source' }: StoredOptions): RequestFailure {
  return new RequestFailure('source_unreachable', `The ${subject} has expired or was deleted.`)
}

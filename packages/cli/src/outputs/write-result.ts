import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { DownloadableFile } from '@mediamill/sdk/src/files/result-file'

/** Writes a result to the file `draft`, which Ctrl-C deletes. The SDK's `save()` would use another temporary file. */
export async function writeResult(made: DownloadableFile, draft: string, signal?: AbortSignal): Promise<void> {
  const stream = made.stream({ signal }) as ReadableStream<Uint8Array>
  await pipeline(Readable.fromWeb(stream), createWriteStream(draft, { flags: 'wx' }), { signal })
}

import type { EngineFile } from '../protocol/messages.ts'
import type { CallWorker } from '../protocol/serve.ts'
import type { ByteSourceOptions } from './libav/byte-source.ts'
import { openByteSource } from './libav/byte-source.ts'
import type { Media, MediaOptions } from './libav/media.ts'
import { openMedia } from './libav/media.ts'

export async function withMedia<T>(
  file: EngineFile,
  callWorker: CallWorker,
  use: (media: Media) => Promise<T>,
  options: ByteSourceOptions & MediaOptions = {},
): Promise<T> {
  if (file.presentBytes === undefined) {
    await using media = await openMedia(file, undefined, options)
    return await use(media)
  }
  await using source = await openByteSource(file, callWorker, options)
  await using media = await openMedia(file, source, options)
  return await use(media)
}

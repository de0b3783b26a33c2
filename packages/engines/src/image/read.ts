import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { Part } from '@mediamill/media/formats/byte-reader'
import { firstBytes } from '@mediamill/media/formats/byte-reader'
import { hasContentCredentials } from '@mediamill/media/formats/content-credentials'
import { readMetadata } from '@mediamill/media/formats/image-metadata'
import type { EngineResult, JobOf } from '../protocol/messages.ts'
import type { CallWorker } from '../protocol/serve.ts'
import { withByteReader } from '../sharp/header.ts'
import { readEmbedded } from './read-embedded.ts'
import { summarize } from './summarize.ts'

export async function readImage(
  job: JobOf<'images/read'>,
  _report: unknown,
  callWorker: CallWorker,
): Promise<EngineResult<'images/read'>> {
  const { path, size } = job.input
  const format = job.input.format as ImageSourceFormat
  const present = firstBytes(job.input.presentBytes ?? size)
  const fetchRange = async ({ offset, length }: Part) => {
    await callWorker({ type: 'read', offset, length })
    present.add(offset, offset + length)
  }
  for (;;) {
    const basic = await readMetadata({ path, size, format, present })
    if ('needs' in basic) {
      await fetchRange(basic.needs)
      continue
    }
    if (job.parameters.level !== 'full') return { data: basic, files: [], units: 1 }
    const start = present.endFrom(0) ?? 0
    if (start < size) await fetchRange({ offset: start, length: size - start })
    return { data: { ...basic, ...(await readFull(job, format)) }, files: [], units: 1 }
  }
}

async function readFull({ input, limits }: JobOf<'images/read'>, format: ImageSourceFormat) {
  const { path, size } = input
  const embedded = await readEmbedded(path, size)
  const content_credentials = withByteReader(path, size, (source) => hasContentCredentials(source, format))
  return { ...embedded, content_credentials, ...(await summarize({ path, size, format }, limits)) }
}

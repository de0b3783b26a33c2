import type { ImageSourceFormat } from '../../domain/media.ts'
import { firstBytes } from '../../media/formats/byte-reader.ts'
import { readFacts } from '../../media/formats/facts.ts'
import type { EngineDone, EngineJob } from '../protocol/messages.ts'
import type { EngineAsk } from '../protocol/serve.ts'

/** `images/read`: the facts of a picture, of which no more is fetched than its headers take (Spec 2.4). */
export async function readImage({ input }: EngineJob, _report: unknown, ask: EngineAsk): Promise<EngineDone> {
  const { path, size } = input
  const format = input.format as ImageSourceFormat
  const present = firstBytes(input.presentBytes ?? size)
  for (;;) {
    const facts = await readFacts({ path, size, format, present })
    if (!('needs' in facts)) return { data: facts, files: [], units: 1 }
    const { offset, length } = facts.needs
    await ask({ type: 'read', offset, length })
    present.add(offset, offset + length)
  }
}

import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import { firstBytes } from '@mediamill/media/formats/byte-reader'
import { readFacts } from '@mediamill/media/formats/facts'
import type { EngineResult, JobOf } from '../protocol/messages.ts'
import type { AskWorker } from '../protocol/serve.ts'

/** Does the task `images/read`: finds the facts of a picture (Spec 2.4). It fetches no more than the headers take. */
export async function readImage(
  { input }: JobOf<'images/read'>,
  _report: unknown,
  ask: AskWorker,
): Promise<EngineResult<'images/read'>> {
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

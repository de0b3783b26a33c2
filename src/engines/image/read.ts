import type { ImageSourceFormat } from '../../domain/media.ts'
import type { EngineDone, EngineJob } from '../messages.ts'
import { readFacts } from './facts.ts'

/** `images/read`: the facts of a picture (Spec 2.4). */
export async function readImage({ input }: EngineJob): Promise<EngineDone> {
  const { path, size } = input
  const facts = await readFacts({ path, size, format: input.format as ImageSourceFormat, complete: true })
  if ('needs' in facts) throw new Error('facts need more bytes than the whole file has')
  return { data: facts, files: [], units: 1 }
}

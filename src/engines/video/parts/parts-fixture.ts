import { stat } from 'node:fs/promises'
import type { VideoSourceFormat } from '../../../domain/media.ts'
import type { PartsPlan } from '../../../media/plan/video-parts.ts'
import { planOf } from '../../../media/plan/video-parts.ts'
import type { EngineAsset } from '../../protocol/messages.ts'
import type { Bench, BenchDone, BenchOptions } from '../video-fixture.ts'
import { joinParts } from './join-parts.ts'
import { makePart } from './make-part.ts'
import { planParts } from './plan-parts.ts'

type Video = { bench: Bench; file: string; format: VideoSourceFormat; options: BenchOptions }

/** Plans a test's video in parts of so many seconds, however small its frames are. */
export async function planOfClip({ bench, file, format, options }: Video, seconds: number) {
  const parameters = { ...options.parameters, part_seconds: seconds, part_pixels: 1 }
  const { data } = await bench.run(planParts, file, format, { ...options, parameters })
  return planOf(data)
}

/** Makes one part of a clip. It counts the bytes that the engine asks for, of a source that is there only to its head. */
export async function partOf(
  { bench, file, format, options }: Video,
  plan: PartsPlan,
  part: number,
): Promise<BenchDone & { bytes: number }> {
  let bytes = 0
  const done = await bench.run(makePart, file, format, {
    ...options,
    parameters: { ...options.parameters, plan, part },
    presentBytes: Math.min(4096, (await stat(file)).size),
    async bring({ length }) {
      bytes += length
    },
  })
  return { ...done, bytes }
}

/** Joins parts that were made. */
export function join({ bench, file, format }: Video, plan: PartsPlan, parts: readonly BenchDone[]): Promise<BenchDone> {
  const assets = parts.map(
    ({ files: [made] }, number): EngineAsset => ({
      url: String(number),
      path: made?.path ?? '',
      format: 'MP4',
      size: made?.size ?? 0,
    }),
  )
  return bench.run(joinParts, file, format, { assets, parameters: { plan, parts: parts.map(({ data }) => data) } })
}

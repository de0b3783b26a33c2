import { isDeepStrictEqual } from 'node:util'
import { failureOfOutput } from '@mediamill/contract/domain/errors'
import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Size } from '@mediamill/contract/domain/size'
import type { OutputInput } from '@mediamill/contract/endpoints/outputs'
import { outputName } from '@mediamill/contract/endpoints/outputs'
import { assetsOf } from '@mediamill/contract/operations/schema'
import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import type { OutputsPlan } from '@mediamill/media/plan/image'
import { planOutputs } from '@mediamill/media/plan/image'
import { isSearched } from '@mediamill/media/plan/search'
import type { EngineResult, EngineResultFile, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import type { Image } from '../sharp/image.ts'
import { allowFormats } from '../sharp/loaders.ts'
import { openMarksOf } from '../sharp/watermark-image.ts'
import type { Stage } from './compile/fold.ts'
import { foldSteps } from './compile/fold.ts'
import type { Rectangle } from './compile/pipeline.ts'
import { afterResize, PASS_THROUGH } from './compile/pipeline.ts'
import type { Encoded } from './draw-stages.ts'
import { drawAll, drawAndEncode, drawToPixels, isPartRead, paintsRemoved } from './draw-stages.ts'
import { openKept } from './kept-metadata.ts'
import { openSource } from './open.ts'
import { searchEncoding } from './search-encoding.ts'

const SMALLER = 'Make it smaller, lower its quality, or choose another format.'

/** Makes several results from one source. Decodes the source only once, at the size that the largest output needs. */
export async function processOutputs(
  job: JobOf<'images/process'>,
  outputs: readonly OutputInput[],
): Promise<EngineResult<'images/process'>> {
  const { operations = [] } = job.parameters
  const named = outputs.map((output, index) => ({ ...output, name: outputName(output, index) }))
  allowFormats([job.input.format, ...job.assets.map((asset) => asset.format)])
  const opened = await openSource(job.input, job.limits)
  const uses = [
    ...assetsOf(operations),
    ...named.flatMap(({ name, operations: own }) => assetsOf(own).map((use) => ({ ...use, output: name }))),
  ]
  const marks = await openMarksOf(uses, job.assets, job.limits)
  const plan = planOutputs(operations, named, opened.source, { limits: job.limits, marks: marks.sizes })
  const stages = plan.outputs.map(({ steps }) => foldSteps(steps))
  if (stages.some(isPartRead)) opened.rejectCutOff()

  const isAnimated = plan.outputs.some(({ frames }) => frames > 1)
  const common = commonStages(plan, stages)
  const split = splitAtBase(
    stages.map((list) => list.slice(common.length)),
    common.length === 0 && !plan.outputs.some(paintsRemoved) ? opened.source : undefined,
  )
  const addMetadata = await openKept(job.input, outputs)
  const base = await drawAll(await opened.image(isAnimated), [...common, ...split.base], marks)

  const files: EngineResultFile[] = []
  for (const [index, output] of plan.outputs.entries()) {
    try {
      const rest = split.rest[index] ?? []
      const open = async (): Promise<Image> => ({ kind: 'raw', strip: startOf(base, rest, output.frames) })
      const drawing = { marks, timing: opened.timing }
      const goal = outputs[index] ?? {}
      const complete = ({ data, ...size }: Encoded): Encoded => ({
        ...size,
        data: addMetadata(data, { format: output.format, metadata: outputs[index]?.metadata }),
      })
      const { data, width, height } = isSearched(goal)
        ? await searchEncoding(await drawToPixels(open, rest, output, drawing), output, {
            goal,
            timing: opened.timing,
            complete,
          })
        : complete(await drawAndEncode(open, rest, output, drawing))
      const file = writeResult(job, output.format, { parts: [data], fix: SMALLER, name: `result-${index}` })
      files.push({ ...file, width, height })
    } catch (error) {
      throw failureOfOutput(output.name, error)
    }
  }
  const [first] = files
  const [{ format } = { format: 'jpg' as const }] = plan.outputs
  if (first?.width === undefined || first.height === undefined) throw new RangeError('no output was planned')
  const data = { width: first.width, height: first.height, format: OUTPUT.image[format].name, size: first.size }
  return { data, files, units: files.length }
}

function commonStages({ outputs, sharedSteps }: OutputsPlan, stages: readonly (readonly Stage[])[]): Stage[] {
  const [first, ...others] = stages
  if (first === undefined || outputs.some(paintsRemoved)) return []
  const shared = new Set(outputs[0]?.steps.slice(0, sharedSteps).map(({ step }) => step))
  const isCommon = (stage: Stage, index: number) =>
    (stage.kind === 'pipeline' || shared.has(stage.step)) &&
    others.every((list) => isDeepStrictEqual(list[index], stage))
  const end = first.findIndex((stage, index) => !isCommon(stage, index))
  return end === -1 ? [...first] : first.slice(0, end)
}

/**
 * If all outputs resize the same area, moves the extract and the largest resize to `base`, which the outputs share. Each
 * list in `rest` has the remaining stages of one output.
 */
function splitAtBase(stages: Stage[][], source: Size | undefined): { base: Stage[]; rest: Stage[][] } {
  const pipelines = stages.flatMap(([stage]) => (stage?.kind === 'pipeline' ? [stage.pipeline] : []))
  const [first] = pipelines
  const sizes = pipelines.flatMap(({ resize }) => resize ?? [])
  const isShared = pipelines.length === stages.length && sizes.length === stages.length
  if (source === undefined || first === undefined || !isShared) return { base: [], rest: stages }
  if (!pipelines.every(({ extract }) => isDeepStrictEqual(extract, first.extract))) return { base: [], rest: stages }
  const base = largestWithin(sizes, first.extract ?? source)
  const rest = stages.map(([, ...later], index): Stage[] => {
    const pipeline = { ...(pipelines[index] ?? PASS_THROUGH), extract: undefined }
    return [
      { kind: 'pipeline', pipeline: isDeepStrictEqual(sizes[index], base) ? afterResize(pipeline) : pipeline },
      ...later,
    ]
  })
  return { base: [{ kind: 'pipeline', pipeline: { ...PASS_THROUGH, extract: first.extract, resize: base } }], rest }
}

function largestWithin(sizes: readonly Size[], image: Size | Rectangle): Size {
  const largest = (side: 'width' | 'height') => Math.min(image[side], Math.max(...sizes.map((size) => size[side])))
  return { width: largest('width'), height: largest('height') }
}

function startOf(base: Filmstrip, [first]: readonly Stage[], frames: number): Filmstrip {
  const data = base.data.subarray(0, (base.data.length / base.frames) * frames)
  return { ...base, data: first?.kind === 'in place' ? Buffer.from(data) : data, frames }
}

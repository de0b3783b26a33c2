import { OUTPUT } from '@mediamill/contract/domain/media'
import { planImage } from '@mediamill/media/plan/image'
import type { EngineResult, JobOf } from '../protocol/messages.ts'
import { writeResult } from '../protocol/result-file.ts'
import { allowFormats } from '../sharp/loaders.ts'
import { openMarks } from '../sharp/watermark-image.ts'
import { foldSteps } from './compile/fold.ts'
import { drawAndEncode, isPartRead } from './draw-stages.ts'
import { openSource } from './open.ts'
import { processOutputs } from './outputs.ts'

const SMALLER = 'Make it smaller, lower its quality, or choose another output.format.'

export async function processImage(job: JobOf<'images/process'>): Promise<EngineResult<'images/process'>> {
  const { operations = [], output, outputs } = job.parameters
  if (outputs !== undefined) return processOutputs(job, outputs)
  const { format } = output
  allowFormats([job.input.format, ...job.assets.map((asset) => asset.format)])
  const opened = await openSource(job.input, job.limits)
  const marks = await openMarks(operations, job.assets, job.limits)
  const plan = planImage(operations, opened.source, { format, limits: job.limits, marks: marks.sizes })
  const stages = foldSteps(plan.steps)
  if (isPartRead(stages)) opened.rejectCutOff()
  const open = () => opened.image(plan.frames > 1)
  const { data, width, height } = await drawAndEncode(open, stages, plan, { marks, timing: opened.timing })
  const file = writeResult(job, format, { parts: [data], fix: SMALLER })
  return { data: { width, height, format: OUTPUT.image[format].name, size: file.size }, files: [file], units: 1 }
}

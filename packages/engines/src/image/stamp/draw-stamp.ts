import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import type { AnyJob, EngineDone } from '../../protocol/messages.ts'
import { writeResult } from '../../protocol/result-file.ts'
import { allowFormats } from '../../sharp/loaders.ts'
import { drawImage } from './draw-image.ts'
import { drawText } from './draw-text.ts'
import { finishStamp } from './finish.ts'

const SMALLER = 'Make it smaller.'

type StampJob = Omit<AnyJob, 'parameters'> & { parameters: Stamp }

export async function drawStamp(job: StampJob): Promise<EngineDone> {
  const stamp = job.parameters
  allowFormats(job.input === undefined ? [] : [job.input.format])
  const { file, width, height } = await finishStamp(await draw(stamp, job), stamp)
  return {
    data: { width, height },
    files: [writeResult(job, 'png', { parts: [file], fix: SMALLER })],
    units: 1,
  }
}

async function draw(stamp: Stamp, { input, limits }: StampJob) {
  if (stamp.type === 'text') return await drawText(stamp)
  if (input === undefined) throw new RangeError('the file of the image is missing')
  return await drawImage(stamp, input, limits)
}

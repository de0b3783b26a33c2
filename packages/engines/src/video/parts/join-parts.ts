import type { JoinParameters, PartsPlan } from '@mediamill/media/plan/video-parts'
import { parsePlan, partsOf } from '@mediamill/media/plan/video-parts'
import type { AdditionalInput, EngineDone, EngineJob } from '../../protocol/messages.ts'
import { checkWritten, resultPath } from '../../protocol/result-file.ts'
import type { AskWorker } from '../../protocol/serve.ts'
import { Mp4Writer } from '../libav/mp4-writer.ts'
import { COPYING_BYTES } from '../memory.ts'
import { describeVideo } from '../process.ts'
import { NotCut } from '../tracks/part-window.ts'
import { SHORTER } from '../tracks/pump.ts'
import { BesideSound } from './beside-sound.ts'
import { JoinedPicture } from './joined-picture.ts'
import { JoinedSound } from './joined-sound.ts'
import { unlessNotCut } from './make-part.ts'
import { readFactsOf } from './part-facts.ts'

type JoinJob = Omit<EngineJob, 'input' | 'parameters'> & { parameters: JoinParameters }

export async function joinParts(job: JoinJob, report: (percent: number) => void, ask: AskWorker): Promise<EngineDone> {
  const plan = parsePlan(job.parameters.plan)
  await ask({ type: 'reserve', bytes: COPYING_BYTES })
  return await unlessNotCut(async () => {
    await join(job, plan, report)
    return await describeVideo(job)
  })
}

async function join(job: JoinJob, plan: PartsPlan, report: (percent: number) => void): Promise<void> {
  const parts = partsOf(plan)
  const files = filesOf(job, parts.length)
  const facts = readFactsOf(job.parameters.parts, parts.length)
  const isBeside = facts.some(({ sound }) => typeof sound?.first === 'number')
  const hasSound = isBeside || plan.sound === 'apart'
  await using writer = new Mp4Writer(resultPath(job, 'mp4'), hasSound ? ['picture', 'sound'] : ['picture'])
  const pictures = facts.flatMap((fact, number) => (parts[number]?.kind === 'picture' ? [{ ...fact, number }] : []))
  const picture = new JoinedPicture(writer, plan)
  const [first] = facts
  const isApart = plan.sound === 'apart' && first !== undefined
  await using sound = isApart ? await JoinedSound.open(writer, fileOf(files, 0), first) : undefined
  const beside = isBeside ? new BesideSound(writer) : undefined
  for (const [index, { number, ...fact }] of pictures.entries()) {
    const onTime = (seconds: number) => {
      sound?.copyUntil(seconds)
      checkWritten(writer.bytes, job.limits, SHORTER)
    }
    await picture.add(fileOf(files, number), fact, { onTime, beside })
    report(Math.floor((99 * (index + 1)) / pictures.length))
  }
  picture.finish()
  sound?.copyUntil(Number.POSITIVE_INFINITY)
  beside?.finish()
  await writer.finish()
}

function filesOf({ assets }: JoinJob, parts: number): AdditionalInput[] {
  const files = assets.toSorted((a, b) => Number(a.url) - Number(b.url))
  if (files.length !== parts || files.some(({ url }, number) => url !== String(number))) {
    throw new RangeError(`${files.length} files for ${parts} parts`)
  }
  return files
}

function fileOf(files: readonly AdditionalInput[], number: number): AdditionalInput {
  const file = files[number]
  if (file === undefined) throw new NotCut(`part ${number} is missing`)
  return file
}

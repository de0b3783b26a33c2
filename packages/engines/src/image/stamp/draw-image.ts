import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { ImageStamp } from '@mediamill/contract/domain/rendering/stamp'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import type { Premultiplied } from '@mediamill/media/pixels/stamps/premultiplied'
import { multiplyAlpha } from '@mediamill/media/pixels/stamps/premultiplied'
import { withinBorder } from '@mediamill/media/pixels/stamps/uniform-border'
import { planImage } from '@mediamill/media/plan/image'
import sharp from 'sharp'
import type { EngineFile, EngineLimits } from '../../protocol/messages.ts'
import { toStrip } from '../../sharp/image.ts'
import { drawPipeline, KEEP_ALPHA, prepare } from '../compile/draw.ts'
import { foldSteps } from '../compile/fold.ts'
import { PASS_THROUGH } from '../compile/pipeline.ts'
import { openSource } from '../open.ts'
import { checkStampSize } from './check-size.ts'

export async function drawImage(
  { width, trim }: ImageStamp,
  input: EngineFile,
  limits: EngineLimits,
): Promise<Premultiplied> {
  const whole = await decodeUpright(input, limits)
  const part = trim ? withinBorder(whole) : { left: 0, top: 0, width: whole.width, height: whole.height }
  if (part === undefined) {
    throw new RequestFailure(
      'processing_failed',
      'The image has a single color: trim would remove all its pixels. Send trim: false.',
    )
  }
  const height = width === undefined ? part.height : Math.max(1, Math.round((part.height * width) / part.width))
  const size = { width: width ?? part.width, height }
  checkStampSize(size)
  const { data } = whole
  const raw = { width: whole.width, height: whole.height, channels: 4 } as const
  const cut = sharp(data, { raw, limitInputPixels: false }).extract(part)
  const pixels = await (width === undefined ? cut : cut.resize({ ...size, fit: 'fill' })).raw().toBuffer()
  multiplyAlpha(pixels)
  return { pixels, ...size }
}

async function decodeUpright(input: EngineFile, limits: EngineLimits): Promise<RawImage> {
  const opened = await openSource(input, limits)
  const plan = planImage([{ type: 'orient' }], opened.source, { format: 'png', limits })
  const [stage] = foldSteps(plan.steps)
  const pipeline = stage?.kind === 'pipeline' ? stage.pipeline : PASS_THROUGH
  const [ready, rest] = await prepare(await opened.image(false), pipeline, KEEP_ALPHA)
  const { data, width, height } = await toStrip(ready, (image) => drawPipeline(image, rest, KEEP_ALPHA).ensureAlpha())
  return { data, width, height, channels: 4 }
}

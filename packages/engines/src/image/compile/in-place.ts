import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import { framesOf, joinFrames } from '@mediamill/media/pixels/filmstrip'
import type { PixelStep } from '@mediamill/media/steps/image-steps'
import { prepareStep } from '@mediamill/media/steps/image-steps'
import type { Marks } from '../../sharp/watermark-image.ts'

export async function drawInPlace(
  strip: Filmstrip,
  { step, operation }: { step: PixelStep; operation: number },
  marks: Marks,
): Promise<Filmstrip> {
  const frames = framesOf(strip)
  const [frame] = frames
  if (frame === undefined) return strip
  const draw = await prepareStep(step, { frame, watermark: (placed) => marks.placedOn(frame, placed, operation) })
  const drawn = frames.map(draw)
  return drawn.every(({ data }, index) => data === frames[index]?.data) ? strip : joinFrames(drawn)
}

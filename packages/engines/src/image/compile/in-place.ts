import type { Filmstrip } from '@mediamill/media/pixels/filmstrip'
import { framesOf, joinFrames } from '@mediamill/media/pixels/filmstrip'
import type { PixelStep } from '@mediamill/media/steps/image-steps'
import { prepareStep } from '@mediamill/media/steps/image-steps'
import type { Marks } from '../../sharp/watermark-image.ts'

/**
 * Draws a step on every frame of a strip. It draws into the strip itself, or into a new one where the step makes new
 * frames.
 */
export async function drawInPlace(
  strip: Filmstrip,
  { step, operation }: { step: PixelStep; operation: number },
  marks: Marks,
): Promise<Filmstrip> {
  const draw = await prepareStep(step, { watermark: (assetUrl) => marks.pixelsOf(assetUrl, operation) })
  const frames = framesOf(strip)
  const drawn = frames.map(draw)
  return drawn.every(({ data }, index) => data === frames[index]?.data) ? strip : joinFrames(drawn)
}

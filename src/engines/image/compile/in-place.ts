import type { PixelStep } from '../../../media/drawing/steps/image-steps.ts'
import { prepareStep } from '../../../media/drawing/steps/image-steps.ts'
import type { Filmstrip } from '../../../media/pixels/filmstrip.ts'
import { framesOf, joinFrames } from '../../../media/pixels/filmstrip.ts'
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

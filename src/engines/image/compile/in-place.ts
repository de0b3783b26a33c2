import { LOOKS } from '../../../media/drawing/looks.ts'
import { blendMark } from '../../pixels/blend.ts'
import { cutOut } from '../../pixels/cutout.ts'
import type { Filmstrip } from '../../pixels/filmstrip.ts'
import { framesOf, joinFrames } from '../../pixels/filmstrip.ts'
import { drawLines } from '../../pixels/lines.ts'
import { applyLook, bakeLook } from '../../pixels/look-table.ts'
import { applyMatrix } from '../../pixels/matrix.ts'
import type { RawPicture } from '../../pixels/raw-picture.ts'
import { applyTones } from '../../pixels/tones.ts'
import type { Marks } from '../../sharp/watermark-image.ts'
import type { InPlaceStep } from './stages.ts'

/**
 * Draws a step on every frame of a strip: in place, but for a cutout, which may have to add alpha.
 *
 * `removed` says what a cutout leaves: nothing, or white where the output keeps no transparency of it (Spec 4.5).
 */
export async function drawInPlace(
  strip: Filmstrip,
  { step, operation }: { step: InPlaceStep; operation: number },
  { marks, removed }: { marks: Marks; removed: 'transparent' | 'white' },
): Promise<Filmstrip> {
  const frames = framesOf(strip)
  switch (step.step) {
    case 'matrix':
      applyMatrix(strip, step.rows)
      return strip
    case 'tones':
      applyTones(strip, step.table)
      return strip
    case 'look': {
      const table = bakeLook(LOOKS[step.name], step.strength)
      for (const frame of frames) applyLook(frame, table)
      return strip
    }
    case 'blend': {
      const mark = await marks.pixelsOf(step.assetUrl, operation)
      for (const frame of frames) blendMark(frame, mark, step)
      return strip
    }
    case 'lines':
      for (const frame of frames) drawLines(frame, step)
      return strip
    case 'cutout':
      return joinFrames(
        frames.map((frame) => (removed === 'white' ? cutToWhite : cutToClear)(frame, step.tolerance, step.blur)),
      )
  }
}

type ColorPicture = RawPicture & { channels: 3 | 4 }

const cutToClear = (frame: ColorPicture, tolerance: number, blur: number): ColorPicture => ({
  ...cutOut(frame, tolerance, blur),
  channels: 4,
})

/** Paints white what a cutout removes, as far as it removes it; the frame's own alpha stays as it was. */
function cutToWhite(frame: ColorPicture, tolerance: number, blur: number): ColorPicture {
  const { channels, data } = frame
  const original = channels === 4 ? Buffer.from(data) : data
  const { data: cut } = cutOut({ ...frame, data: original }, tolerance, blur)
  for (let from = 0, to = 0; to < data.length; from += 4, to += channels) {
    const before = channels === 4 ? (data[to + 3] ?? 0) : 255
    const after = cut[from + 3] ?? 0
    if (after === before) continue
    for (let channel = 0; channel < 3; channel += 1) {
      data[to + channel] = 255 - Math.round(((255 - (cut[from + channel] ?? 0)) * after) / before)
    }
  }
  return frame
}

import type { ImageFrame } from '@mediamill/contract/domain/size'
import type { FlipStep } from './flip.ts'
import type { TurnStep } from './turn.ts'

/** Applies the EXIF orientation, unless it was applied earlier. The plan replaces this step with flips and turns. */
export type OrientStep = { step: 'orient' }

const mirrored: FlipStep = { step: 'flip', horizontal: true, vertical: false }
const turned = (degrees: number): TurnStep => ({ step: 'turn', degrees })

/** Returns the flips and turns for an EXIF orientation (Exif 2.32, tag 0x0112). */
export function upright(orientation: ImageFrame['orientation']): (FlipStep | TurnStep)[] {
  switch (orientation) {
    case 1:
      return []
    case 2:
      return [mirrored]
    case 3:
      return [turned(180)]
    case 4:
      return [{ step: 'flip', horizontal: false, vertical: true }]
    case 5:
      return [turned(90), mirrored]
    case 6:
      return [turned(90)]
    case 7:
      return [turned(270), mirrored]
    case 8:
      return [turned(270)]
  }
}

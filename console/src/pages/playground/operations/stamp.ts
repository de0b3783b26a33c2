import { STAMP_ALIGNMENTS, STAMP_FONTS } from '../../../../../src/domain/drawn/stamp.ts'
import { formatName } from '../../../components/format.ts'

/** What the form of a text stamp holds; a rim and a shadow have their fields while they are off, too. */
export const NEW_STAMP = {
  text: '© ',
  font: 'arimo' as string,
  size: 48,
  align: 'left' as string,
  color: '#ffffff',
  opacity: 80,
  rotation: 0,
  hasOutline: false,
  outline: { color: '#000000', width: 2 },
  hasShadow: false,
  shadow: { color: '#000000', opacity: 50, x: 2, y: 2, blur: 4 },
}

export type StampValues = typeof NEW_STAMP

export const FONTS = STAMP_FONTS.map((value) => ({ value, label: formatName(value) }))

const SIDES = { left: 'Left', center: 'Centre', right: 'Right' }
export const ALIGNMENTS = STAMP_ALIGNMENTS.map((value) => ({ value, label: SIDES[value] }))

const bare = (color: string) => color.replace('#', '')

/** The body of the call that draws it. */
export function stampBody({ hasOutline, outline, hasShadow, shadow, color, ...others }: StampValues) {
  return {
    type: 'text',
    ...others,
    color: bare(color),
    ...(hasOutline ? { outline: { ...outline, color: bare(outline.color) } } : {}),
    ...(hasShadow ? { shadow: { ...shadow, color: bare(shadow.color) } } : {}),
  }
}

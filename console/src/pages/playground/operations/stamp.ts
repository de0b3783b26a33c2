import { STAMP_ALIGNMENTS, STAMP_FONTS } from '@mediamill/contract/domain/rendering/stamp'
import { formatName } from '../../../components/format.ts'
import { text } from '../text.ts'

/** The values of a new text watermark. Outline and shadow keep their values while they are off. */
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

const SIDES = { left: text.left, center: text.center, right: text.right }
export const ALIGNMENTS = STAMP_ALIGNMENTS.map((value) => ({ value, label: SIDES[value] }))

const bare = (color: string) => color.replace('#', '')

const hash = (color: unknown, otherwise: string) =>
  typeof color === 'string' ? `#${color.replace('#', '')}` : otherwise
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

export function stampValues(body: Record<string, unknown>): StampValues {
  const { type: _, outline, shadow, ...others } = body
  const start = NEW_STAMP
  const filled = {
    ...start,
    // The service's default. The playground sets another opacity for a new text watermark.
    opacity: 100,
    ...others,
    hasOutline: isObject(outline),
    outline: { ...start.outline, ...(isObject(outline) ? outline : {}) },
    hasShadow: isObject(shadow),
    shadow: { ...start.shadow, ...(isObject(shadow) ? shadow : {}) },
  }
  filled.color = hash(body['color'], start.color)
  filled.outline.color = hash(filled.outline.color, start.outline.color)
  filled.shadow.color = hash(filled.shadow.color, start.shadow.color)
  return filled
}

export function stampBody({ hasOutline, outline, hasShadow, shadow, color, ...others }: StampValues) {
  return {
    type: 'text',
    ...others,
    color: bare(color),
    ...(hasOutline ? { outline: { ...outline, color: bare(outline.color) } } : {}),
    ...(hasShadow ? { shadow: { ...shadow, color: bare(shadow.color) } } : {}),
  }
}

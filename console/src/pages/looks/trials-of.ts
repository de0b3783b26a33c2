import { LOOKS } from '../playground/operations/look-images.ts'
import { startOf } from '../playground/operations/start-of.ts'
import type { Operation } from '../playground/recipe.ts'

export type Trial = { name: string; operation: Operation; format: string }

const SHOWN = [
  'watermark',
  'border',
  'resize',
  'crop',
  'thumbnail',
  'rotate',
  'flip',
  'orient',
  'grayscale',
  'sepia',
  'exposure',
  'remove_background',
  'compress',
]

/** Returns an example of every filter, or an example of every other operation. */
export function trialsOf(kind: 'looks' | 'operations', logoUrl: string): Trial[] {
  if (kind === 'looks') return LOOKS.map((name) => ({ name, operation: { type: 'filter', name }, format: 'jpg' }))
  return SHOWN.map((type) => ({
    name: type,
    operation: startOf(type, logoUrl),
    format: type === 'remove_background' || type === 'rotate' ? 'png' : 'jpg',
  }))
}

import type { Operation } from '../playground/operation.ts'
import { LOOKS } from '../playground/operations/look-images.ts'
import { startOf } from '../playground/operations/start-of.ts'

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

export function trialsOf(kind: 'filters' | 'operations', logoUrl: string): Trial[] {
  if (kind === 'filters') return LOOKS.map((name) => ({ name, operation: { type: 'filter', name }, format: 'jpg' }))
  return SHOWN.map((type) => ({
    name: type,
    operation: startOf(type, logoUrl),
    format: type === 'remove_background' || type === 'rotate' ? 'png' : 'jpg',
  }))
}

import { border } from './border.ts'
import { compress } from './compress.ts'
import { crop } from './crop.ts'
import { exposure } from './exposure.ts'
import { filter } from './filter.ts'
import { flip } from './flip.ts'
import { grayscale } from './grayscale.ts'
import type { Operation } from './operation.ts'
import { orient } from './orient.ts'
import { removeBackground } from './remove-background.ts'
import { resize } from './resize.ts'
import { rotate } from './rotate.ts'
import { sepia } from './sepia.ts'
import { thumbnail } from './thumbnail.ts'
import { watermark } from './watermark.ts'

export const OPERATIONS: readonly Operation[] = [
  watermark,
  border,
  resize,
  crop,
  thumbnail,
  rotate,
  flip,
  orient,
  grayscale,
  sepia,
  exposure,
  filter,
  removeBackground,
  compress,
]

export function findOperation(name: string): Operation | undefined {
  return OPERATIONS.find((operation) => operation.name === name)
}

import type { Size } from '@mediamill/contract/domain/size'
import type { EngineResult } from '../protocol/messages.ts'

export function documentMetadata(sizes: readonly Size[], size: number): EngineResult<'documents/process'>['data'] {
  const [{ width, height } = { width: 0, height: 0 }] = sizes
  return {
    page_count: sizes.length,
    page_size: { width: points(width), height: points(height), unit: 'pt' },
    format: 'PDF',
    size,
  }
}

export function sizesVary(sizes: readonly Size[]): boolean {
  const [first] = sizes
  return sizes.some(
    ({ width, height }) => points(width) !== points(first?.width ?? 0) || points(height) !== points(first?.height ?? 0),
  )
}

/** Rounds to hundredths of a point. Further digits are only rounding errors. */
const points = (value: number) => Math.round(value * 100) / 100

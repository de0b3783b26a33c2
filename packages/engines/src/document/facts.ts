import type { Size } from '@mediamill/contract/domain/size'
import type { EngineResult } from '../protocol/messages.ts'

/** Returns the facts of every document, read or made (rulings 2). */
export function documentFacts(sizes: readonly Size[], size: number): EngineResult<'documents/process'>['data'] {
  const [{ width, height } = { width: 0, height: 0 }] = sizes
  return {
    page_count: sizes.length,
    page_size: { width: points(width), height: points(height), unit: 'pt' },
    format: 'PDF',
    size,
  }
}

/** Tells whether not all pages are shown at one size. */
export function sizesVary(sizes: readonly Size[]): boolean {
  const [first] = sizes
  return sizes.some(
    ({ width, height }) => points(width) !== points(first?.width ?? 0) || points(height) !== points(first?.height ?? 0),
  )
}

/** Hundredths: what PDFs state beyond them is rounding of their writers. */
const points = (value: number) => Math.round(value * 100) / 100

import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Size } from '@mediamill/contract/domain/size'
import type { Stamp } from '@mediamill/contract/drawing/overlays'
import { anchorWatermark, watermarkSize } from '@mediamill/contract/drawing/overlays'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import { instructionsOf } from './instructions.ts'

export type PlannedStamp =
  | { stamp: 'image'; assetUrl: string; size: Size; columns: number[]; rows: number[]; operation: number }
  | (Extract<Stamp, { stamp: 'lines' }> & { operation: number })

/** The maximum number of watermark copies, because viewers draw each copy. On A4, copies are then 2.3 points apart. */
export const MAX_COPIES = 100_000

export function planDocument(
  operations: readonly OperationInput[],
  page: Size,
  marks: ReadonlyMap<string, Size>,
): PlannedStamp[] {
  let copies = 0
  return operations.flatMap((input, operation) => {
    const stamps = instructionsOf(input, { frame: page, operation }, (found) => found.document)
    return stamps.flatMap((stamp): PlannedStamp[] => {
      if (stamp.stamp === 'lines') return [{ ...stamp, operation }]
      const stored = marks.get(stamp.assetUrl)
      if (stored === undefined) throw new RangeError('a watermark image of the request was not read')
      const size = watermarkSize(stamp.scale, page, stored, unrounded)
      const { x, y } = anchorWatermark(stamp, page, size, unrounded)
      const across = copiesAlong(page.width, x, size.width, stamp.stepX)
      const down = copiesAlong(page.height, y, size.height, stamp.stepY)
      copies += across.count * down.count
      if (copies > MAX_COPIES) throw tooManyCopies(copies, { type: input.type, operation })
      if (across.count * down.count === 0) return []
      return [
        { stamp: 'image', assetUrl: stamp.assetUrl, size, columns: places(across), rows: places(down), operation },
      ]
    })
  })
}

const unrounded = (points: number) => points

type Copies = { start: number; step: number; count: number }

function copiesAlong(length: number, start: number, side: number, step: number | undefined): Copies {
  if (step === undefined) return { start, step: 0, count: start < length && start + side > 0 ? 1 : 0 }
  const first = Math.max(0, Math.floor((-side - start) / step) + 1)
  const end = Math.ceil((length - start) / step)
  return { start: start + first * step, step, count: Math.max(0, end - first) }
}

const places = ({ start, step, count }: Copies) => Array.from({ length: count }, (_, index) => start + index * step)

const tooManyCopies = (copies: number, { type, operation }: { type: string; operation: number }) =>
  new RequestFailure(
    'processing_failed',
    `operations[${operation}] (${type}) brings the copies of watermark images on one page to ${copies.toLocaleString('en')}; the limit is ${MAX_COPIES.toLocaleString('en')}. Use a wider tile spacing.`,
    { operation },
  )

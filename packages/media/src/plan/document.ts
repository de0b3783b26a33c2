import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Size } from '@mediamill/contract/domain/size'
import type { Stamp } from '@mediamill/contract/drawing/document-stamps'
import type { OperationInput } from '@mediamill/contract/operations/schema'
import { instructionsOf } from './instructions.ts'

/** One thing to draw on pages of one size, and the operation it belongs to. */
export type PlannedStamp =
  | { stamp: 'image'; assetUrl: string; size: Size; columns: number[]; rows: number[]; operation: number }
  | (Extract<Stamp, { stamp: 'lines' }> & { operation: number })

/**
 * The most copies of watermark images on one page. It is a full page of A4 at a step of 2.3 points. Viewers draw each
 * of them every time the page is shown.
 */
export const MAX_COPIES = 100_000

/**
 * Walks the operations for pages of one size. It returns what is drawn on them, in order.
 *
 * A mark that does not reach into the page is left out. Throws `RequestFailure` with the operation's index when a
 * watermark would be repeated too often.
 */
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
      const size = marks.get(stamp.assetUrl)
      if (size === undefined) throw new RangeError('a watermark image of the request was not read')
      const across = copiesAlong(page.width, stamp.x, size.width, stamp.stepX)
      const down = copiesAlong(page.height, stamp.y, size.height, stamp.stepY)
      copies += across.count * down.count
      // wall: watermarks without number
      if (copies > MAX_COPIES) throw tooManyCopies(copies, { type: input.type, operation })
      if (across.count * down.count === 0) return []
      return [
        { stamp: 'image', assetUrl: stamp.assetUrl, size, columns: places(across), rows: places(down), operation },
      ]
    })
  })
}

type Copies = { start: number; step: number; count: number }

/** The copies along one side of a page that reach into it; tiling goes on from `start` only (rulings 15). */
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

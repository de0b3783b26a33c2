import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mask } from '@mediamill/media/pixels/stamps/mask'
import { drawLetters } from './draw-letters.ts'

const lettersOf = (text: string, size: number) => drawLetters({ text, size, font: 'arimo', align: 'left' })

/**
 * Returns the rows at the edges of the Devanagari head line, where pixels are partly covered. `edge` is the median
 * coverage of a row.
 */
function headLineEdges({ data, width, height }: Mask): { row: number[]; edge: number }[] {
  const rows = Array.from({ length: height }, (_, y) => [...data.subarray(y * width, (y + 1) * width)])
  return rows
    .map((row) => {
      const inked = row.filter((value) => value > 0).toSorted((a, b) => a - b)
      return { row, edge: inked.length > width * 0.8 ? (inked[inked.length >> 1] ?? 0) : 0 }
    })
    .filter(({ edge }) => edge > 40 && edge < 200)
}

function peaksAbove(row: readonly number[], edge: number): number[] {
  const peaks: number[] = []
  row.forEach((value, x) => {
    if (value <= edge + 4) return
    if ((row[x - 1] ?? 0) <= edge + 4) peaks.push(0)
    peaks.push(Math.max(peaks.pop() ?? 0, value))
  })
  return peaks
}

test('the head line of Hindi letters is not darker where two letters overlap', async () => {
  let rows = 0
  for (const size of [28, 32, 33, 40]) {
    for (const { row, edge } of headLineEdges(await lettersOf('हिन्दी नमस्ते', size))) {
      rows += 1
      // A stem that crosses the line is solid. A value between the line and a stem is an overlap.
      for (const peak of peaksAbove(row, edge)) assert.ok(peak >= 250, `size ${size}: ${peak} on an edge of ${edge}`)
    }
  }
  assert.ok(rows >= 3, `${rows} rows`)
})

test('the head line of Hindi letters is not darker where two letters overlap, even in a mask of many megapixels', async () => {
  let rows = 0
  for (const size of [766, 850]) {
    for (const { row, edge } of headLineEdges(await lettersOf('हिन्दी नमस्ते', size))) {
      rows += 1
      for (const peak of peaksAbove(row, edge)) assert.ok(peak >= 250, `size ${size}: ${peak} on an edge of ${edge}`)
    }
  }
  assert.ok(rows >= 2, `${rows} rows`)
})

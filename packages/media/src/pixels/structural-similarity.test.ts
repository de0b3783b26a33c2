import assert from 'node:assert/strict'
import { test } from 'node:test'
import { structuralSimilarity } from './structural-similarity.ts'

const board = (mean: number, contrast: number) => ({
  width: 8,
  height: 8,
  data: Uint8Array.from({ length: 64 }, (_, at) => mean + ((at + (at >> 3)) % 2 === 0 ? contrast : -contrast)),
})

const [C1, C2] = [6.5025, 58.5225]

// The expected values are the formula of Wang et al. 2004 with the means, variances, and covariance of the boards.
for (const [name, other, expected] of [
  ['an equal image', board(110, 10), 1],
  ['a brighter image', board(130, 10), (2 * 110 * 130 + C1) / (110 ** 2 + 130 ** 2 + C1)],
  ['an image with more contrast', board(110, 20), (2 * 200 + C2) / (100 + 400 + C2)],
  ['an inverted image', board(110, -10), (2 * -100 + C2) / (100 + 100 + C2)],
] as const)
  test(`the structural similarity of a checkerboard and ${name} equals the value that the formula gives`, () => {
    const similarity = structuralSimilarity(board(110, 10), other)
    assert.ok(Math.abs(similarity - expected) < 1e-9, `${similarity} instead of ${expected}`)
  })

test('flat windows do not count toward the structural similarity, and two images that have only flat windows count as equal', () => {
  assert.equal(structuralSimilarity(board(110, 0), board(190, 0)), 1)
  assert.ok(structuralSimilarity(board(110, 2), board(190, 0)) < 1)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GAPS_MS, gapAfter } from './attempt-gaps.ts'

test('a webhook delivery and an upload to a destination have up to four attempts, with pauses of 4, 5, and 7 s (±10 %) [webhooks.deliveries.3, destinations.attempts.2]', () => {
  assert.deepEqual(GAPS_MS, [4000, 5000, 7000])
  for (const [index, gap] of GAPS_MS.entries()) {
    const [least, middle, most] = [0, 0.5, 1 - Number.EPSILON].map((random) =>
      gapAfter(index + 1, GAPS_MS, () => random),
    )
    assert.equal(middle, gap)
    assert.ok((least ?? 0) >= gap * 0.9 && (least ?? 0) < gap * 0.92)
    assert.ok((most ?? 0) <= gap * 1.1 && (most ?? 0) > gap * 1.08)
  }
  assert.equal(
    gapAfter(4, GAPS_MS, () => 0),
    undefined,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEADLINE_MS, GAPS_MS, gapAfter } from './schedule.ts'

test('a webhook delivery has up to four attempts with pauses of 4, 5, and 7 s (±10 %), and each attempt has a timeout of 10 s [webhooks.deliveries.2, webhooks.deliveries.3]', () => {
  assert.deepEqual([GAPS_MS, DEADLINE_MS], [[4000, 5000, 7000], 10_000])
  for (const [index, gap] of [4000, 5000, 7000].entries()) {
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from './index.ts'

test('documents/read has a deadline of 30 s, documents/snapshot of 60 s, and every other endpoint of its media type [limits.media.1]', () => {
  const own = ENDPOINTS.filter(({ deadlineMs }) => deadlineMs !== undefined)
  assert.deepEqual(
    own.map(({ name, deadlineMs }) => [name, deadlineMs]),
    [
      ['documents/read', 30_000],
      ['documents/snapshot', 60_000],
    ],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from './index.ts'

test('only documents/read has a shorter deadline than its media type; a snapshot has five minutes, like every PDF [limits.media.1]', () => {
  const own = ENDPOINTS.filter(({ deadlineMs }) => deadlineMs !== undefined)
  assert.deepEqual(
    own.map(({ name, deadlineMs }) => [name, deadlineMs]),
    [['documents/read', 30_000]],
  )
})

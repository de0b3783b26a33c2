import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from './index.ts'

test('only documents/read has less time than its medium: a snapshot has the five minutes of a PDF [8, rulings 9]', () => {
  const own = ENDPOINTS.filter(({ deadlineMs }) => deadlineMs !== undefined)
  assert.deepEqual(
    own.map(({ name, deadlineMs }) => [name, deadlineMs]),
    [['documents/read', 30_000]],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Summaries } from './summary.ts'

test('a process computes the digest of an upload only if it received the upload from the first byte', () => {
  const summaries = new Summaries()
  assert.equal(summaries.take('upl_1', 4), undefined)
  const summary = summaries.take('upl_1', 0)
  summary?.add(Buffer.from('four'))
  assert.ok(summary)
  summaries.keep('upl_1', summary)
  assert.equal(summaries.take('upl_1', 4), summary)
  summaries.keep('upl_1', summary)
  assert.equal(summaries.take('upl_1', 5), undefined)
})

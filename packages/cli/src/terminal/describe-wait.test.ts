import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openReport } from '../batch/report.ts'
import { describeWait } from './describe-wait.ts'

test("the CLI's message for a rate limit pause names the limit and the duration, and a short pause has no message", () => {
  assert.equal(describeWait({ reason: 'rate_limit', seconds: 12 }), 'waiting 12 s for the rate limit')
  assert.equal(describeWait({ reason: 'concurrency_limit', seconds: 8 }), 'waiting 8 s for a free slot')
  assert.equal(describeWait({ reason: 'rate_limit', seconds: 1 }), undefined)
})

test('a batch prints its rate limit pauses to stderr, except with --json', (t) => {
  const written: unknown[] = []
  t.mock.method(process.stderr, 'write', (text: unknown) => written.push(text) > 0)
  for (const json of [false, true]) {
    using report = openReport({ json, showsMetadata: false, total: 1 })
    report.waited({ reason: 'rate_limit', seconds: 12 })
  }
  assert.deepEqual(written, ['waiting 12 s for the rate limit\n'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tracer } from '../telemetry/trace.ts'
import { startAttempt } from './attempt-span.ts'

test('the trace of a call contains a span for the time in the queue and a span for the attempt; without a tracer, an attempt has no span', () => {
  const started: string[] = []
  const tracer = {
    start(name: string, { parent }: { parent: string }) {
      started.push(`${name} of ${parent}`)
      return { name, end: () => undefined }
    },
  } as unknown as Tracer
  const request = { id: 1, accountId: 2, endpoint: 'images/process', status: 'processing' }
  const claim = { request, lease: { attempt: 1 }, trace: 'the call' } as unknown as Parameters<typeof startAttempt>[1]
  assert.partialDeepStrictEqual(startAttempt(tracer, claim), { name: 'attempt' })
  assert.deepEqual(started, ['queued of the call', 'attempt of the call'])
  assert.equal(startAttempt(undefined, claim), undefined)
})

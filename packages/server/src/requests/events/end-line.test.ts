import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { microUsd } from '@mediamill/contract/domain/money'
import { endOf } from './end-line.ts'

const base = {
  id: 1042 as RequestId,
  accountId: 1001 as AccountId,
  endpoint: 'images/process',
  livemode: true,
  source: 'https://example.com/a.jpg?token=secret',
  webhookUrl: null,
  input: {},
  customer: 'customer',
  metadata: null,
  createdAt: new Date(0),
  startedAt: new Date(1),
  completedAt: new Date(84),
  timings: { queuedMs: 1, downloadMs: 10, processMs: 70, storeMs: 3, totalMs: 84 },
}
const fields = { account_id: 1001, endpoint: 'images/process', duration_ms: 84 }
const by = { attempt: 2, workerId: 'cb0cbb4e-3b0a-4d41-8ad4-6e2b1d5c8ab1' }

test('a worker logs one line per finished request with its outcome, duration, price, and account', () => {
  const made = { price: microUsd(2_000), data: {}, files: [], deletedAt: null }
  assert.deepEqual(endOf({ ...base, ...made, status: 'succeeded' }, by), [
    { ...fields, status: 'succeeded', price_micro_usd: 2_000, attempt: 2, worker_id: by.workerId },
    '1042 images/process succeeded in 84 ms, $0.002, account 1001',
  ])
  const error = { code: 'unsupported_media', message: 'It is a web page.' } as const
  assert.deepEqual(endOf({ ...base, status: 'failed', error }), [
    { ...fields, status: 'failed', code: 'unsupported_media' },
    '1042 images/process failed in 84 ms, unsupported_media, account 1001: It is a web page.',
  ])
  assert.deepEqual(endOf({ ...base, status: 'aborted' }), [
    { ...fields, status: 'aborted' },
    '1042 images/process aborted in 84 ms, account 1001',
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import { stampError, tooManyStamps } from './errors.ts'

const TEXT = { type: 'text', text: 'Draft' } as Stamp
const QR = { type: 'qr' } as unknown as Stamp

test('a failed text watermark returns server_error for an internal failure, the error code of an account limit, or validation_failed with the field [stamps.image.3]', () => {
  const rejected = (stamp: Stamp, code: string) =>
    stampError(stamp, { status: 'refused', code, message: 'Why.' } as never)
  assert.equal(stampError(TEXT, { status: 'ours' } as never).code, 'server_error')
  const busy = rejected(TEXT, 'concurrency_limited')
  assert.deepEqual([busy.code, busy.message, busy.status], ['concurrency_limited', tooManyStamps().message, 429])
  const full = rejected(TEXT, 'upload_too_large')
  assert.deepEqual([full.code, full.message], ['upload_too_large', 'Why.'])
  for (const [stamp, code, param] of [
    [TEXT, 'validation_failed', 'text'],
    [QR, 'validation_failed', 'source'],
  ] as const) {
    const error = rejected(stamp, 'nothing known')
    assert.deepEqual([error.code, error.message], [code, `${param}: Why.`])
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as sdk from '../index.ts'
import { SignatureError } from '../webhooks.ts'
import { apiErrorOf } from './api-error.ts'

const rejected = (status: number, type?: string) =>
  apiErrorOf({
    status,
    details: type === undefined ? {} : { type: type as never },
    requestId: undefined,
    retryAfterSeconds: undefined,
    idempotencyKey: undefined,
  })

test('each class of errors has its own name, and each type of API error has its own class', () => {
  const errors: [sdk.MediamillError, name: string][] = [
    [new sdk.MediamillError('x'), 'MediamillError'],
    [new sdk.ConnectionError('x'), 'ConnectionError'],
    [new sdk.TimeoutError('x'), 'TimeoutError'],
    [new sdk.IntegrityError('x'), 'IntegrityError'],
    [new SignatureError('x'), 'SignatureError'],
    [new sdk.RequestFailedError({ error: {} } as never), 'RequestFailedError'],
    [new sdk.RequestAbortedError({ id: 1 } as never), 'RequestAbortedError'],
    [new sdk.WaitTimeoutError(1, undefined, undefined), 'WaitTimeoutError'],
    [rejected(401, 'authentication'), 'AuthenticationError'],
    [rejected(402, 'payment_required'), 'PaymentRequiredError'],
    [rejected(403, 'permission'), 'PermissionError'],
    [rejected(404, 'not_found'), 'NotFoundError'],
    [rejected(409, 'conflict'), 'ConflictError'],
    [rejected(410, 'gone'), 'GoneError'],
    [rejected(422, 'invalid_request'), 'InvalidRequestError'],
    [rejected(429, 'rate_limited'), 'RateLimitedError'],
    [rejected(500, 'server_error'), 'ServerError'],
    [rejected(400, 'a later type'), 'ApiError'],
  ]
  for (const [error, name] of errors) {
    assert.deepEqual([error.name, error.constructor.name], [name, name])
    assert.ok(error instanceof sdk.MediamillError && sdk.isMediamillError(error))
  }
})

test('if a response has no error object, such as from a proxy, the error has its status, the code `unknown`, and the class of the status', () => {
  const [early, late] = [rejected(499), rejected(500)]
  assert.deepEqual([early.name, early.type, early.code, early.errors], ['ApiError', 'invalid_request', 'unknown', []])
  assert.equal(early.message, 'The service returned status 499.')
  assert.deepEqual([late.name, late.type, late.code], ['ServerError', 'server_error', 'unknown'])
})

import assert from 'node:assert/strict'
import { API_ERRORS, ERROR_TYPES } from '@mediamill/contract/domain/errors'
import { randomCall } from './fuzz-calls.ts'
import { createRandom } from './random.ts'
import type { RawResponse } from './raw-http.ts'
import { openRawConnection } from './raw-http.ts'
import type { Service } from './service.ts'

/** The number of calls for each kind of response, such as `202` or `422 validation_failed`. */
type FuzzCounts = Record<string, number>

/** Sends random calls. Asserts that no response is a 5xx, and that errors have the documented shape. */
export async function fuzz(service: Service, options: { calls: number; seed: number }): Promise<FuzzCounts> {
  const counts: FuzzCounts = {}
  const { liveKey, testKey } = service.account
  const lines = Array.from({ length: 8 }, async (_, line) => {
    const random = createRandom(options.seed + line)
    using wire = openRawConnection(Number(new URL(service.url).port))
    for (let count = line; count < options.calls; count += 8) {
      const call = randomCall(random, [liveKey, liveKey, liveKey, liveKey, liveKey, liveKey, liveKey, testKey])
      const response = await wire.send(call.bytes, call)
      try {
        const outcome = classifyResponse(response, call.head)
        counts[outcome] = (counts[outcome] ?? 0) + 1
      } catch (error) {
        const sent = call.bytes.toString('latin1').slice(0, 2000)
        throw new Error(`seed ${options.seed}, line ${line}: ${sent}\nreturned ${JSON.stringify(response)}`, {
          cause: error,
        })
      }
    }
  })
  await Promise.all(lines)
  return counts
}

/** Asserts that an error has its shape (errors.body.1) and a request id (api.headers.1). Returns status and code. */
export function classifyResponse(response: RawResponse, head = false): string {
  const { status, headers } = response
  assert.ok(status < 500, 'returned 5xx')
  assert.match(headers['request-id'] ?? '', /^req_[0-9a-f]{24}$/)
  if (status < 400 || head) return String(status)
  assert.match(headers['content-type'] ?? '', /^application\/json/)
  const { error, ...rest } = JSON.parse(response.body)
  assert.deepEqual(rest, {})
  const code: keyof typeof API_ERRORS = error.code
  assert.equal(API_ERRORS[code], status)
  assert.equal(error.type, ERROR_TYPES[API_ERRORS[code]])
  assert.ok(typeof error.message === 'string' && error.message.length > 0)
  assert.equal(error.request_id, headers['request-id'])
  assert.equal(headers['retry-after'] !== undefined, status === 429 || code === 'idempotency_key_in_use')
  if (code === 'validation_failed') {
    assert.ok(Array.isArray(error.errors))
    assert.equal(error.param, error.errors[0]?.param)
    for (const item of error.errors) {
      assert.deepEqual(Object.keys(item), ['param', 'code', 'message'])
    }
  }
  const allowed = new Set(['type', 'code', 'message', 'param', 'errors', 'doc_url', 'request_id'])
  assert.deepEqual(
    Object.keys(error).filter((name) => !allowed.has(name)),
    [],
  )
  return `${status} ${code}`
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScriptedResponse } from '@mediamill/lab/support/scripted-fetch'
import { scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import { createVirtualClock } from '@mediamill/lab/support/virtual-clock'
import type { Transport } from '../transport/transport.ts'
import { sendPieces } from './send-upload.ts'

const offset = (bytes: number): ScriptedResponse => ({ status: 204, headers: { 'upload-offset': String(bytes) } })

async function sent(head: ScriptedResponse, patch: ScriptedResponse) {
  const fetch = scriptFetch(({ method }, index) => {
    // Stops a retry loop that never ends.
    if (index > 100) throw new RangeError('endless')
    return method === 'HEAD' ? head : patch
  })
  const transport: Transport = {
    baseUrl: '',
    apiKey: '',
    userAgent: undefined,
    fetch,
    timeoutMs: 30_000,
    maxRetries: 2,
    clock: createVirtualClock(),
  }
  const ends = sendPieces(transport, 'https://m.example/content', new Blob(['0123456789']), {})
  return { error: await ends.then(() => undefined, String), calls: fetch.calls.length }
}

test('an upload sends only the bytes that the server lacks according to HEAD, and does not resend a complete file', async () => {
  assert.deepEqual(await sent(offset(0), offset(10)), { error: undefined, calls: 2 })
  assert.deepEqual(await sent(offset(10), new Error('not asked')), { error: undefined, calls: 1 })
})

test('an upload to a server that stores no byte fails after a limited number of attempts', async () => {
  const wrong: [ScriptedResponse, ScriptedResponse][] = [
    [offset(0), { status: 500 }],
    [offset(0), new TypeError('cut')],
    [offset(4), offset(4)],
    [{}, {}],
    [offset(0), {}],
  ]
  for (const [head, patch] of wrong) {
    const { error, calls } = await sent(head, patch)
    assert.match(error ?? '', /^(?:ConnectionError|ServerError)/)
    assert.ok(calls <= 9, `${calls} calls`)
  }
})

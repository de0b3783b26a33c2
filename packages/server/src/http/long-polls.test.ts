import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { LIVE_LIMITS } from '@mediamill/contract/domain/limits'
import type { FastifyReply } from 'fastify'
import { Registry } from 'prom-client'
import type { Caller } from '../accounts/authenticate.ts'
import { openLongPolls } from './long-polls.ts'

function openTestPolls() {
  const registry = new Registry()
  const longPolls = openLongPolls(registry)
  const responses = new Map<object, (found: string | undefined) => void>()
  function call(id: number, { seconds = 50, livemode = true, tier = 'paid' } = {}) {
    const raw = new EventEmitter()
    // Long polls read only these fields.
    const reply = { raw, sent: false, isLongCall: false } as unknown as FastifyReply
    const caller = { account: { id: id as AccountId, tier }, livemode, limits: LIVE_LIMITS.paid } as unknown as Caller
    const found = longPolls.hold({ caller, reply }, seconds, (signal) => {
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      responses.set(reply, resolve)
      signal.addEventListener('abort', () => resolve(undefined))
      return promise
    })
    return { reply, raw, found, respond: (text?: string) => responses.get(reply)?.(text) }
  }
  const metric = async (text: string) => (await registry.metrics()).includes(`${text}\n`)
  return { call, metric }
}

test('an account can have twice as many long polls as its limit of concurrent requests, in each mode; a further long poll returns immediately [waiting.limits.1]', async () => {
  const { call } = openTestPolls()
  const most = 2 * LIVE_LIMITS.paid.concurrentRequests
  const calls = Array.from({ length: most }, () => call(1))
  const late = call(1)
  assert.equal(await late.found, undefined)
  assert.deepEqual([calls.every(({ reply }) => reply.isLongCall), late.reply.isLongCall], [true, false])
  const [other, test] = [call(2), call(1, { livemode: false })]
  assert.deepEqual([other.reply.isLongCall, test.reply.isLongCall], [true, true])
  calls[0]?.respond('done')
  assert.equal(await calls[0]?.found, 'done')
  const next = call(1)
  assert.equal(next.reply.isLongCall, true)
  for (const one of [...calls, other, test, next]) one.respond()
})

test('a process can have 2,000 long polls; a further long poll returns immediately for any account [waiting.limits.1]', async () => {
  const { call, metric } = openTestPolls()
  const calls = Array.from({ length: 2_000 }, (_, index) => call(index))
  assert.ok(calls.every(({ reply }) => reply.isLongCall))
  const late = call(2_001)
  assert.deepEqual([await late.found, late.reply.isLongCall], [undefined, false])
  assert.ok(await metric('mediamill_long_polls 2000'))
  for (const one of calls) one.respond('done')
  await Promise.all(calls.map(({ found }) => found))
  assert.ok(await metric('mediamill_long_polls 0'))
  assert.ok(await metric('mediamill_long_polls_total{outcome="completed"} 2000'))
  assert.ok(await metric('mediamill_long_polls_total{outcome="rejected"} 1'))
})

test('accounts without a payment share half of the long polls of a process, and do not block the long polls of other accounts [waiting.limits.1]', async () => {
  const { call } = openTestPolls()
  const unpaid = Array.from({ length: 1_000 }, (_, index) => call(index, { tier: 'free' }))
  assert.ok(unpaid.every(({ reply }) => reply.isLongCall))
  const late = call(1_001, { tier: 'free' })
  assert.equal(late.reply.isLongCall, false)
  const paid = call(1_001)
  assert.equal(paid.reply.isLongCall, true)
  unpaid[0]?.respond('done')
  await unpaid[0]?.found
  const next = call(1_002, { tier: 'free' })
  assert.equal(next.reply.isLongCall, true)
  for (const one of [...unpaid, paid, next]) one.respond()
})

test('a long poll ends when its time is over or its client disconnects, and the metrics count each outcome [waiting.prefer.1]', async () => {
  const { call, metric } = openTestPolls()
  const [short, gone, stopped] = [call(1, { seconds: 0.01 }), call(1), call(1)]
  gone.raw.emit('close')
  stopped.respond(undefined)
  assert.deepEqual(await Promise.all([short.found, gone.found, stopped.found]), [undefined, undefined, undefined])
  for (const outcome of ['timeout', 'disconnected', 'stopped']) {
    assert.ok(await metric(`mediamill_long_polls_total{outcome="${outcome}"} 1`), outcome)
  }
  assert.ok(await metric('mediamill_long_polls 0'))
})

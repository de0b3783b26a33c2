import { Readable } from 'node:stream'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../errors.ts'

/** Calls are answered within ten seconds, whatever becomes of the database (errors.calls.2). */
export const PATIENCE_MS = 8_000

/** One clock for all calls costs less than a timer for each. */
const TICKS = 8

/**
 * Rejects a call with 503 after it has waited `patienceMs` for this side. A database that hangs returns no error
 * (errors.calls.2).
 *
 * The time that a call takes to arrive is its sender's, and does not count; nor does that of sending the answer.
 * A call that is held on purpose has an end of its own (waiting.prefer.2).
 */
export function answerInTime(app: FastifyInstance, patienceMs: number, clock = () => performance.now()): void {
  /** Since when a call waits for us; what it has waited before its body came is in it. */
  const waiting = new Map<FastifyReply, number>()
  const waited = new WeakMap<FastifyReply, number>()
  const refused = new WeakSet<FastifyReply>()
  dropLateAnswers(app, refused)
  const ticking = setInterval(
    () => {
      const before = clock() - patienceMs
      let calls = 0
      for (const [reply, since] of waiting) {
        if (since > before) continue
        waiting.delete(reply)
        if (reply.sent || reply.isLongCall) continue
        refused.add(reply)
        calls += 1
        void reply.send(waitedTooLong(patienceMs))
      }
      if (calls > 0) app.log.error({ calls }, `calls rejected after ${patienceMs / 1000} s without a response`)
    },
    Math.max(1, patienceMs / TICKS),
  ).unref()
  app.addHook('onRequest', (_call, reply, next) => {
    waiting.set(reply, clock())
    next()
  })
  app.addHook('preParsing', (_call, reply, _body, next) => {
    const now = clock()
    waited.set(reply, now - (waiting.get(reply) ?? now))
    waiting.delete(reply)
    next()
  })
  app.addHook('preHandler', (_call, reply, next) => {
    waiting.set(reply, clock() - (waited.get(reply) ?? 0))
    next()
  })
  app.addHook('onSend', (_call, reply, _body, next) => {
    waiting.delete(reply)
    next()
  })
  app.addHook('onResponse', (_call, reply, next) => {
    waiting.delete(reply)
    next()
  })
  app.addHook('onClose', async () => clearInterval(ticking))
}

/**
 * Drops what a handler finds or sends after its call was refused. Fastify would warn of a second answer, leave its file
 * open, and take a late refusal for a bug; a bug is still logged.
 */
function dropLateAnswers(app: FastifyInstance, refused: WeakSet<FastifyReply>): void {
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function handle(call, reply) {
      const send = reply.send.bind(reply)
      reply.send = (payload) => {
        if (!reply.sent || !refused.has(reply)) return send(payload)
        if (payload instanceof Readable) payload.destroy()
        return reply
      }
      const answer: unknown = handler.call(this, call, reply)
      return answer instanceof Promise ? unlessSent(answer, call, reply) : answer
    }
  })
}

async function unlessSent(answer: Promise<unknown>, call: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  try {
    const found = await answer
    return reply.sent ? undefined : found
  } catch (error) {
    if (!reply.sent) throw error
    if (!(error instanceof ApiError)) call.log.error({ err: error }, 'a call failed after it was refused')
    return undefined
  }
}

function waitedTooLong(patienceMs: number): ApiError {
  return unavailable(new Error(`nothing answered this call within ${patienceMs} ms`))
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../domain/errors.ts'

/** One clock for all calls costs less than a timer for each. */
const TICKS = 8

/**
 * Refuses with `server_error` a call that this side leaves waiting for longer than `patienceMs`: a database that hangs
 * gives no error by itself (decisions 14).
 *
 * The time that a call takes to arrive is its sender's, and does not count; nor does that of sending the answer.
 */
export function answerInTime(app: FastifyInstance, patienceMs: number): void {
  const waiting = new Map<FastifyReply, number>()
  const clock = setInterval(
    () => {
      const before = performance.now() - patienceMs
      for (const [reply, since] of waiting) {
        if (since > before) continue
        waiting.delete(reply)
        if (!reply.sent) void reply.send(waitedTooLong(patienceMs))
      }
    },
    Math.max(1, patienceMs / TICKS),
  ).unref()
  app.addHook('onRequest', (_call, reply, next) => {
    waiting.set(reply, performance.now())
    next()
  })
  app.addHook('preParsing', (_call, reply, _body, next) => {
    waiting.delete(reply)
    next()
  })
  app.addHook('preHandler', (_call, reply, next) => {
    waiting.set(reply, performance.now())
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
  app.addHook('onClose', async () => clearInterval(clock))
}

function waitedTooLong(patienceMs: number): ApiError {
  return new ApiError('server_error', 'Something went wrong on our side. Try again; quote request_id if it stays.', {
    cause: new Error(`nothing answered this call within ${patienceMs} ms`),
  })
}

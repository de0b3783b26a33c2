import { Readable } from 'node:stream'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../errors.ts'

/** The timeout of calls. The API guarantees a response within 10 s, even without the database (errors.calls.2). */
export const CALL_TIMEOUT_MS = 8_000

/** How many times per timeout the server checks all calls. */
const TICKS = 8

export function limitCallTime(app: FastifyInstance, callTimeoutMs: number, clock = () => performance.now()): void {
  /** When the handling of each call started. The time in which the body arrives does not count. */
  const waiting = new Map<FastifyReply, number>()
  const waited = new WeakMap<FastifyReply, number>()
  ignoreLateResults(app)
  const ticking = setInterval(
    () => {
      const before = clock() - callTimeoutMs
      let calls = 0
      for (const [reply, since] of waiting) {
        if (since > before) continue
        waiting.delete(reply)
        if (reply.sent || reply.isLongCall) continue
        calls += 1
        dropLateResponses(reply)
        void reply.send(waitedTooLong(callTimeoutMs))
      }
      if (calls > 0) app.log.error({ calls }, `calls timed out: no response within ${callTimeoutMs / 1000} s`)
    },
    Math.max(1, callTimeoutMs / TICKS),
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
  app.addHook('onSend', async (_call, reply) => void waiting.delete(reply))
  app.addHook('onResponse', async (_call, reply) => void waiting.delete(reply))
  app.addHook('onClose', async () => clearInterval(ticking))
}

/**
 * Drops responses to a call that already got a response. Call this function only after a timeout: a function on each
 * reply would keep all earlier calls in memory.
 */
function dropLateResponses(reply: FastifyReply): void {
  const send = reply.send.bind(reply)
  reply.send = (payload) => {
    if (!reply.sent) return send(payload)
    if (payload instanceof Readable) payload.destroy()
    return reply
  }
}

function ignoreLateResults(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function handle(call, reply) {
      const response: unknown = handler.call(this, call, reply)
      return response instanceof Promise ? unlessSent(response, call, reply) : response
    }
  })
}

async function unlessSent(response: Promise<unknown>, call: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  try {
    const found = await response
    return reply.sent ? undefined : found
  } catch (error) {
    if (!reply.sent) throw error
    if (!(error instanceof ApiError)) call.log.error({ err: error }, 'call failed after its timeout response was sent')
    return undefined
  }
}

function waitedTooLong(callTimeoutMs: number): ApiError {
  return unavailable(new Error(`the call timed out after ${callTimeoutMs} ms`))
}

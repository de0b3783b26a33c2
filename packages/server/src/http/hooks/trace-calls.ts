import type { FastifyInstance } from 'fastify'
import type { Span, Tracer } from '../../telemetry/trace.ts'
import { traceField } from '../../telemetry/trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The call in its trace; there when calls are traced. */
    span: Span | undefined
  }
}

/** Traces every call of the interface. A call that comes with a trace of its client's joins it (W3C Trace Context). */
export function traceCalls(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', async (call) => {
    const route = call.is404 ? undefined : call.routeOptions.url
    // Not the paths that proxies and Prometheus ask every few seconds.
    if (route?.startsWith('/v1/') !== true) return
    const attributes = { 'http.request.method': call.method, 'http.route': route, request_id: call.id }
    call.span = tracer.start(`${call.method} ${route}`, { kind: 'server', parent: call.headers, attributes })
    call.log = call.log.child({ ...traceField(call.span.headers) })
  })
  app.addHook('onResponse', async (call, reply) => {
    const { span } = call
    if (span === undefined) return
    // Only where a key was asked for, and known, does somebody call.
    const caller = call.caller as typeof call.caller | undefined
    span.note({ 'http.response.status_code': reply.statusCode, account_id: caller?.account.id })
    if (reply.statusCode >= 500) span.fail(String(reply.statusCode))
    span.end()
  })
}

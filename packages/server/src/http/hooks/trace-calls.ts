import type { FastifyInstance } from 'fastify'
import type { Span, Tracer } from '../../telemetry/trace.ts'
import { traceField } from '../../telemetry/trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined
  }
}

/** Traces every call of `/v1`. If the client sends a trace context, the call joins that trace (W3C Trace Context). */
export function traceCalls(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', async (call) => {
    const route = call.is404 ? undefined : call.routeOptions.url
    // Do not trace other paths: proxies and Prometheus call them every few seconds.
    if (route?.startsWith('/v1/') !== true) return
    const attributes = { 'http.request.method': call.method, 'http.route': route, request_id: call.id }
    call.span = tracer.start(`${call.method} ${route}`, { kind: 'server', parent: call.headers, attributes })
    call.log = call.log.child({ ...traceField(call.span.headers) })
  })
  app.addHook('onResponse', async (call, reply) => {
    const { span } = call
    if (span === undefined) return
    // `caller` is only set on routes that require a key.
    const caller = call.caller as typeof call.caller | undefined
    span.note({ 'http.response.status_code': reply.statusCode, account_id: caller?.account.id })
    if (reply.statusCode >= 500) span.fail(String(reply.statusCode))
    span.end()
  })
}

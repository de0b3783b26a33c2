import type { FastifyInstance } from 'fastify'

/** Logs one line for each call at `debug`: its route, its status, how long it took and for which account. */
export function logCalls(app: FastifyInstance): void {
  app.addHook('onResponse', async (call, reply) => {
    const route = call.is404 ? 'unknown path' : (call.routeOptions.url ?? 'unknown path')
    const ms = Math.round(reply.elapsedTime)
    const accountId = call.caller?.account.id
    call.log.debug(
      { status: reply.statusCode, ms, ...(accountId !== undefined && { account_id: accountId }) },
      `${call.method} ${route} ${reply.statusCode} in ${ms} ms`,
    )
  })
}

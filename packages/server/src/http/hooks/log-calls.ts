import type { FastifyInstance } from 'fastify'
import { clientPrefix } from '../client-address.ts'

export function logCalls(app: FastifyInstance): void {
  app.addHook('onResponse', async (call, reply) => {
    const route = call.is404 ? 'unknown path' : (call.routeOptions.url ?? 'unknown path')
    const ms = Math.round(reply.elapsedTime)
    const accountId = call.caller?.account.id
    call.log.debug(
      {
        status: reply.statusCode,
        ms,
        client: clientPrefix(call),
        ...(accountId !== undefined && { account_id: accountId }),
      },
      `${call.method} ${route} ${reply.statusCode} in ${ms} ms`,
    )
  })
}

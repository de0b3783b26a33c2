import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { getAccount, listOperations } from '@mediamill/contract/routes/account'
import type { FastifyInstance } from 'fastify'
import { presentAccount } from '../../accounts/present-account.ts'
import { serveRoute } from '../serve-route.ts'

export function serveAccount(app: FastifyInstance): void {
  serveRoute(app, getAccount, async (call) => presentAccount(call.caller))
  serveRoute(app, listOperations, async () => presentCatalog())
}

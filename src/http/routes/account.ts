import type { FastifyInstance } from 'fastify'
import { presentAccount } from '../../accounts/present-account.ts'
import { presentCatalog } from '../../contract/present-catalog.ts'
import { getAccount } from '../../contract/routes/get-account.ts'
import { listOperations } from '../../contract/routes/list-operations.ts'
import { serveRoute } from '../serve-route.ts'

/** Spec 4.4: who calls and what it may do, and what can be done. */
export function serveAccount(app: FastifyInstance): void {
  serveRoute(app, getAccount, async (call) => presentAccount(call.caller))
  serveRoute(app, listOperations, async () => presentCatalog())
}

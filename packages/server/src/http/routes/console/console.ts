import type { FastifyInstance } from 'fastify'
import type { Door } from '../../door.ts'
import type { LongPolls } from '../../long-polls.ts'
import type { Previews } from '../../previews.ts'
import { serveAccount } from '../account.ts'
import { serveEstimates } from '../estimates.ts'
import { serveProcessing } from '../processing.ts'
import { serveRequests } from '../requests.ts'
import { serveStamps } from '../stamps.ts'
import type { Receiving } from '../uploads.ts'
import { serveUploads } from '../uploads.ts'
import { serveUsage } from '../usage.ts'
import { serveActivity } from './activity.ts'
import type { ConsoleOptions } from './console-context.ts'
import { serveDraftEstimates } from './estimates.ts'
import { guardConsole } from './guard.ts'
import { serveMail } from './mail.ts'
import { serveOperatorAccounts } from './operator-accounts.ts'
import { serveOperatorService } from './operator-service.ts'
import { servePages } from './pages.ts'
import { serveCheckout, serveStripeWebhook } from './payments.ts'
import { serveSessions } from './sessions.ts'
import { serveSettings } from './settings.ts'

/**
 * Serves the pages of the console at `/console`, and their API below `/console/api` (console.api.1).
 *
 * The handlers of `/v1` serve the same routes there, with a caller from the session.
 */
export function serveConsole(
  app: FastifyInstance,
  door: Door,
  options: ConsoleOptions,
  { longPolls, receiving, previews }: { longPolls: LongPolls; receiving: Receiving; previews: Previews },
): void {
  app.addHook('onRequest', async (call, reply) => {
    if (/^\/console(?:[/?]|$)/.test(call.url)) reply.header('cross-origin-resource-policy', 'same-origin')
  })
  servePages(app, door, options)
  serveStripeWebhook(app, door, options)
  app.register(
    async (scope) => {
      guardConsole(scope, door)
      serveSessions(scope, door, options)
      serveSettings(scope, door, options)
      serveActivity(scope, door, previews)
      serveOperatorAccounts(scope, door, options)
      serveOperatorService(scope, door, options)
      serveMail(scope, door, options)
      serveCheckout(scope, door, options)
      serveProcessing(scope, door, longPolls)
      serveEstimates(scope, door)
      serveDraftEstimates(scope, door)
      serveRequests(scope, door, longPolls)
      serveAccount(scope)
      serveUsage(scope, door)
      serveUploads(scope, door, receiving)
      serveStamps(scope, door, longPolls)
    },
    { prefix: '/console/api' },
  )
}

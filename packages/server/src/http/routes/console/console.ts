import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../../api-context.ts'
import type { LongPolls } from '../../long-polls.ts'
import type { Previews } from '../../previews.ts'
import { serveAccount } from '../account.ts'
import { serveEstimates } from '../estimates.ts'
import { serveProcessing } from '../processing.ts'
import { serveRequests } from '../requests.ts'
import { serveStamps } from '../stamps.ts'
import { serveTemplates } from '../templates.ts'
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

/** Serves the console at `/console`, and the console's API at `/console/api` (console.api.1). */
export function serveConsole(
  app: FastifyInstance,
  api: ApiContext,
  options: ConsoleOptions,
  { longPolls, receiving, previews }: { longPolls: LongPolls; receiving: Receiving; previews: Previews },
): void {
  app.addHook('onRequest', async (call, reply) => {
    if (/^\/console(?:[/?]|$)/.test(call.url)) reply.header('cross-origin-resource-policy', 'same-origin')
  })
  servePages(app, api, options)
  serveStripeWebhook(app, api, options)
  app.register(
    async (scope) => {
      guardConsole(scope, api)
      serveSessions(scope, api, options)
      serveSettings(scope, api, options)
      serveActivity(scope, api, previews)
      serveOperatorAccounts(scope, api, options)
      serveOperatorService(scope, api, options)
      serveMail(scope, api, options)
      serveCheckout(scope, api, options)
      serveProcessing(scope, api, longPolls)
      serveEstimates(scope, api)
      serveDraftEstimates(scope, api)
      serveRequests(scope, api, longPolls)
      serveAccount(scope)
      serveUsage(scope, api)
      serveUploads(scope, api, receiving)
      serveStamps(scope, api, longPolls)
      serveTemplates(scope, api)
    },
    { prefix: '/console/api' },
  )
}

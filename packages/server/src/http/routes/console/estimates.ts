import { estimateDraft } from '@mediamill/contract/console/estimates'
import { ApiError } from '@mediamill/contract/domain/errors'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../../api-context.ts'
import { errorBody, notFound } from '../../errors.ts'
import { serveRoute } from '../../serve-route.ts'
import { estimateOf } from '../estimates.ts'

export function serveDraftEstimates(app: FastifyInstance, api: ApiContext): void {
  serveRoute(app, estimateDraft, async (call) => {
    const endpoint = ENDPOINTS.find(({ name }) => name === call.body.endpoint)
    if (endpoint === undefined) throw notFound()
    try {
      return { estimate: await estimateOf(api, endpoint, call.caller, call.body.body), error: null }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 422) throw error
      return { estimate: null, error: errorBody(error, call.id, api.links.baseUrl).error }
    }
  })
}

import { NO_MONEY, toMoney } from '@mediamill/contract/domain/money'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { pricesOf, unitsOf } from '@mediamill/contract/endpoints/endpoint'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import type { EstimateBody } from '@mediamill/contract/objects/estimate'
import { estimateRoute } from '@mediamill/contract/routes/processing'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import type { ApiContext } from '../api-context.ts'
import { serveRoute } from '../serve-route.ts'
import { validateCall } from './processing.ts'

/** Serves estimates. An estimate is the price of a call, and starts no request (estimates.calls.1). */
export function serveEstimates(app: FastifyInstance, api: ApiContext): void {
  for (const endpoint of ENDPOINTS) {
    serveRoute(app, estimateRoute(endpoint), (call) => estimateOf(api, endpoint, call.caller, call.body))
  }
}

export async function estimateOf(
  api: ApiContext,
  endpoint: Endpoint,
  caller: Caller,
  body: unknown,
): Promise<EstimateBody> {
  const { parameters } = await validateCall(api, endpoint, caller, body, 'estimate')
  return presentEstimate(endpoint, parameters, caller)
}

function presentEstimate(endpoint: Endpoint, parameters: Record<string, unknown>, caller: Caller): EstimateBody {
  const units = unitsOf(endpoint, parameters)
  const { minimum, maximum } = pricesOf(caller.livemode ? endpoint.price : NO_MONEY, units)
  return {
    object: 'estimate',
    endpoint: endpoint.name,
    unit: endpoint.priceUnit,
    unit_price: toMoney(endpoint.price),
    units,
    price: { minimum: toMoney(minimum), maximum: maximum === null ? null : toMoney(maximum) },
    affordable: !caller.livemode || caller.available >= minimum,
  }
}

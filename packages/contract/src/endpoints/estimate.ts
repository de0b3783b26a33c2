import type { MicroUsd } from '../domain/money.ts'
import { times } from '../domain/money.ts'
import type { Bounds, Endpoint } from './endpoint.ts'
import { exactly } from './endpoint.ts'

/** Returns the number of units that a successful request with these parameters costs (estimates.price.1). */
export function unitsOf(endpoint: Endpoint, parameters: Record<string, unknown>): Bounds<number> {
  return endpoint.units?.(parameters) ?? exactly(1)
}

export function pricesOf(unitPrice: MicroUsd, { minimum, maximum }: Bounds<number>): Bounds<MicroUsd> {
  return { minimum: times(unitPrice, minimum), maximum: maximum === null ? null : times(unitPrice, maximum) }
}

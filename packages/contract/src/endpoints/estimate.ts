import type { MicroUsd } from '../domain/money.ts'
import { times } from '../domain/money.ts'
import type { Endpoint } from './endpoint.ts'

/** A least and a most; `null` where only the file can tell the most. */
export type Bounds<Amount> = { minimum: Amount; maximum: Amount | null }

/**
 * Returns how many units a request with these parameters may be charged for. It is what it costs if it succeeds
 * (rulings 16).
 */
export function unitsOf(endpoint: Endpoint, parameters: Record<string, unknown>): Bounds<number> {
  return { minimum: 1, maximum: endpoint.mostUnits === undefined ? 1 : endpoint.mostUnits(parameters) }
}

/** Returns what a number of units costs. */
export function pricesOf(unitPrice: MicroUsd, { minimum, maximum }: Bounds<number>): Bounds<MicroUsd> {
  return { minimum: times(unitPrice, minimum), maximum: maximum === null ? null : times(unitPrice, maximum) }
}

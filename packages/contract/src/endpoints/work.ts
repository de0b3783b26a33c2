import type { z } from 'zod'
import { takeDestination } from './destination.ts'
import type { Endpoint } from './endpoint.ts'
import type { EndpointName, ParametersOf } from './index.ts'
import { findEndpoint } from './index.ts'

/** What an endpoint asks of its engine: its own parameters, told apart by its name. */
export type WorkOf<Name extends EndpointName> = {
  [Each in Name]: { task: Each; parameters: ParametersOf<Each> }
}[Name]

/** Tells that a request asks for what this version does not know. A newer one accepted it, and can do it. */
export class UnknownWork extends Error {
  override name = 'UnknownWork'
}

/** What is new in a newer version: a parameter, an operation, or one more value of a list. */
const NEWER: ReadonlySet<z.core.$ZodIssue['code']> = new Set(['unrecognized_keys', 'invalid_union', 'invalid_value'])

/**
 * Reads the work of a request that was accepted earlier. It is its `input` with the defaults of today, without its
 * destination.
 *
 * Throws `UnknownWork` where a newer version has accepted what this one does not know.
 */
export function workOf(request: { endpoint: string; input: Record<string, unknown> }): {
  endpoint: Endpoint
  work: WorkOf<EndpointName>
} {
  const endpoint = findEndpoint(request.endpoint)
  if (endpoint === undefined) throw new UnknownWork(`no endpoint of this version: ${request.endpoint}`)
  const { data: read, error } = endpoint.body.safeParse(request.input)
  if (error?.issues.some(({ code }) => NEWER.has(code)) === true) {
    throw new UnknownWork(`not all of its input is known to this version`, { cause: error })
  }
  if (read === undefined) throw error
  const { parameters } = takeDestination(read)
  // Name and parameters come of one endpoint, which the compiler does not follow through the union of all.
  return { endpoint, work: { task: endpoint.name, parameters } as WorkOf<EndpointName> }
}

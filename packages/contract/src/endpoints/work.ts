import type { z } from 'zod'
import { takeDestinations } from './destination.ts'
import type { Endpoint } from './endpoint.ts'
import type { EndpointName, ParametersOf } from './index.ts'
import { findEndpoint } from './index.ts'
import { inputSchema, TEMPLATE } from './template-fields.ts'

export type WorkOf<Name extends EndpointName> = {
  [Each in Name]: { task: Each; parameters: ParametersOf<Each> }
}[Name]

/** Thrown if a request uses a feature of a newer version. Only a worker of that version can process the request. */
export class UnsupportedWork extends Error {
  override name = 'UnsupportedWork'
}

/** The validation errors of a stored request from a newer version: a new parameter, operation, or value. */
const NEWER: ReadonlySet<z.core.$ZodIssue['code']> = new Set(['unrecognized_keys', 'invalid_union', 'invalid_value'])

/** Returns the task of a stored request, with defaults and without destinations. Throws `UnsupportedWork`. */
export function workOf(request: { endpoint: string; input: Record<string, unknown> }): {
  endpoint: Endpoint
  work: WorkOf<EndpointName>
} {
  const endpoint = findEndpoint(request.endpoint)
  if (endpoint === undefined) throw new UnsupportedWork(`no endpoint of this version: ${request.endpoint}`)
  const { data: read, error } = inputSchema(endpoint).safeParse(request.input)
  if (error?.issues.some(({ code }) => NEWER.has(code)) === true) {
    throw new UnsupportedWork(`the input has features that this version does not support`, { cause: error })
  }
  if (read === undefined) throw error
  const { [TEMPLATE]: _, ...fields } = read
  const { parameters } = takeDestinations(fields)
  // The name and the parameters are from the same endpoint, which the compiler cannot infer from the union.
  return { endpoint, work: { task: endpoint.name, parameters } as WorkOf<EndpointName> }
}

import { call } from './call.ts'
import type { MediaRequest } from './objects.ts'

/** Runs a request to its end. Throws if the request fails. */
export async function runRequest(endpoint: string, body: Record<string, unknown>): Promise<MediaRequest> {
  const headers = { prefer: 'wait=20' }
  let request = await call<MediaRequest>('POST', `/${endpoint}`, { body, headers })
  while (!('completed_at' in request)) {
    request = await call<MediaRequest>('GET', `/requests/${String(request.id)}`, { headers })
  }
  if (request.status === 'failed') throw new Error(request.error.message)
  return request
}

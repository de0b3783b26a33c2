import { call } from '../../../api/call.ts'
import type { MediaRequest, Upload } from '../../../api/objects.ts'
import type { EarlierCall } from './earlier-call.ts'
import { STAMPS } from './earlier-call.ts'

/** Makes the call, and returns what it gives: a source for the next one. Throws `CallError`, or `Error` with a reason. */
export async function makeEarlier({ path, body }: EarlierCall): Promise<string> {
  if (path === STAMPS) return (await call<Upload>('POST', '/stamps', { body })).source
  const sent = await call<MediaRequest>('POST', `/${path}`, { body, headers: { prefer: 'wait=20' } })
  const request = 'completed_at' in sent ? sent : await completed(sent.id)
  if (request.status === 'failed') throw new Error(request.error.message)
  const link = request.status === 'succeeded' ? request.result.files[0]?.url : undefined
  if (link === undefined) throw new Error('A call that comes first gave no file. Run it by itself to see why.')
  return link
}

/** The request once it is final; each look at it waits on the service's side. */
async function completed(id: number): Promise<MediaRequest> {
  const request = await call<MediaRequest>('GET', `/requests/${String(id)}`, { headers: { prefer: 'wait=20' } })
  return 'completed_at' in request ? request : await completed(id)
}

import { call } from '../../../api/call.ts'
import type { MediaRequest, Upload } from '../../../api/objects.ts'
import { text } from '../text.ts'
import type { EarlierCall } from './earlier-call.ts'
import { STAMPS } from './earlier-call.ts'

/** The result of an earlier call. The service deletes `source` at the time `until`. */
export type Made = { source: string; until: string }

export async function makeEarlier({ path, body }: EarlierCall): Promise<Made> {
  if (path === STAMPS) {
    const { source, expires_at: until } = await call<Upload>('POST', '/stamps', { body })
    return { source, until }
  }
  const sent = await call<MediaRequest>('POST', `/${path}`, { body, headers: { prefer: 'wait=20' } })
  const request = 'completed_at' in sent ? sent : await completed(sent.id)
  if (request.status === 'failed') throw new Error(request.error.message)
  const result = request.status === 'succeeded' ? request.result : undefined
  const link = result?.files[0]?.url
  if (link === undefined) throw new Error(text.earlierStepReturnedNoFile)
  return { source: link, until: result?.deleted_at ?? new Date().toISOString() }
}

async function completed(id: number): Promise<MediaRequest> {
  const request = await call<MediaRequest>('GET', `/requests/${String(id)}`, { headers: { prefer: 'wait=20' } })
  return 'completed_at' in request ? request : await completed(id)
}

import { call } from '../../../api/call.ts'
import type { Upload } from '../../../api/objects.ts'
import { runRequest } from '../../../api/run-request.ts'
import { text } from '../text.ts'
import type { EarlierCall } from './earlier-call.ts'
import { STAMPS } from './earlier-call.ts'

/** The result of an earlier call. The service deletes `source` at the time `expiresAt`. */
export type EarlierResult = { source: string; expiresAt: string }

export async function runEarlierCall({ path, body }: EarlierCall): Promise<EarlierResult> {
  if (path === STAMPS) {
    const { source, expires_at: expiresAt } = await call<Upload>('POST', '/stamps', { body })
    return { source, expiresAt }
  }
  const request = await runRequest(path, body)
  const result = request.status === 'succeeded' ? request.result : undefined
  const link = result?.files[0]?.url
  if (link === undefined) throw new Error(text.earlierStepReturnedNoFile)
  return { source: link, expiresAt: result?.deleted_at ?? new Date().toISOString() }
}

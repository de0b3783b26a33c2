import type { RequestBody } from '@mediamill/contract/objects/request'

export const FINAL_VERSION = 101

export function versionOf(shown: RequestBody): number {
  if (shown.status === 'queued') return 0
  return shown.status === 'processing' ? 1 + (shown.progress ?? 0) : FINAL_VERSION
}

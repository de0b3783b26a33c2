import type { RequestBody } from '@mediamill/contract/objects/request'

/** The version of every request that has ended: no other is higher. */
export const FINAL_VERSION = 101

/**
 * Returns the version of a request. It only grows, as status and progress do.
 *
 * 0 while it is queued, 1 to 100 while it is processing, by what is shown of its progress, and 101 from its end on.
 */
export function versionOf(shown: RequestBody): number {
  if (shown.status === 'queued') return 0
  return shown.status === 'processing' ? 1 + (shown.progress ?? 0) : FINAL_VERSION
}

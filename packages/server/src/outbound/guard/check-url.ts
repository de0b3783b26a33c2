import type { Network } from '../network.ts'
import { resolveHost } from './resolve.ts'
import type { RejectedUrl, WebUrl } from './url-shape.ts'
import { checkUrlShape } from './url-shape.ts'

export type CheckedUrl = { ok: true; url: WebUrl; addresses: string[] }

const ACCEPTANCE_DNS_MS = 2000

/** Checks the syntax, the host name, and every address (sources.addresses.1). Throws only if `signal` aborts. */
export async function checkUrl(
  text: string,
  network: Network,
  options: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<CheckedUrl | RejectedUrl> {
  const shape = checkUrlShape(text, network.allowedHosts)
  if (!shape.ok) return shape
  const resolved = await resolveHost(shape.url, network, { timeoutMs: ACCEPTANCE_DNS_MS, ...options })
  return resolved.ok ? { ok: true, url: shape.url, addresses: resolved.addresses } : resolved
}

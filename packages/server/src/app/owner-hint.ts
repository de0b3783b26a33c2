import type { UrlErrorCode } from '@mediamill/contract/domain/errors'
import { bareHost } from '../outbound/guard/allowed-hosts.ts'
import { checkUrlShape } from '../outbound/guard/url-shape.ts'

type Verdict = { ok: true } | { ok: false; code: UrlErrorCode; message: string }

/** Tells whether download links of this address work on this machine alone. */
export function isOnLoopback(baseUrl: string): boolean {
  const host = bareHost(new URL(baseUrl).hostname)
  return host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host)
}

/**
 * A verdict on a URL, with the way out that only the service's owner has.
 *
 * For a service on loopback, whose clients are its owner. Names the host and port that the client sent, and nothing else.
 */
export function withOwnerHint(verdict: Verdict, text: string): Verdict {
  if (verdict.ok || verdict.code === 'url_unresolvable') return verdict
  const hint = allowingHint(text)
  return hint === undefined ? verdict : { ...verdict, message: `${verdict.message} ${hint}` }
}

/** Where clouds keep the keys of a machine: nobody is led to let a service fetch from there. */
const METADATA = /^(?:169\.254\.|\[fe[89ab]|\[fd00:ec2:|metadata\.)/

/** Only where the setting would help: a URL of good shape but for its port or its host. */
function allowingHint(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null) return undefined
  const hostname = url.hostname.replace(/\.$/, '')
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (METADATA.test(hostname)) return undefined
  if (!checkUrlShape(text, new Set([`${bareHost(hostname)}:${port}`])).ok) return undefined
  return `If this service is yours, start it with ALLOWED_PRIVATE_HOSTS=${hostname}:${port} to let it fetch from there.`
}

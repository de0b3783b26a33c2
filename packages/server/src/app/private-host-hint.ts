import { bareHost } from '../outbound/guard/allowed-hosts.ts'
import type { RejectedUrl } from '../outbound/guard/url-shape.ts'
import { checkUrlShape } from '../outbound/guard/url-shape.ts'

type Verdict = { ok: true } | RejectedUrl

export function isOnLoopback(baseUrl: string): boolean {
  const host = bareHost(new URL(baseUrl).hostname)
  return host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host)
}

export function withPrivateHostHint(verdict: Verdict, text: string): Verdict {
  if (verdict.ok || verdict.isByOperator === true || verdict.code === 'url_unresolvable') return verdict
  const hint = allowingHint(text)
  return hint === undefined ? verdict : { ...verdict, message: `${verdict.message} ${hint}` }
}

/** Hosts of cloud metadata services, which return credentials. Messages never suggest allowing these hosts. */
const METADATA = /^(?:169\.254\.|\[fe[89ab]|\[fd00:ec2:|metadata\.)/

function allowingHint(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null) return undefined
  const hostname = url.hostname.replace(/\.$/, '')
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (METADATA.test(hostname)) return undefined
  if (!checkUrlShape(text, new Set([`${bareHost(hostname)}:${port}`])).ok) return undefined
  return `If this service is yours, start it with ALLOWED_PRIVATE_HOSTS=${hostname}:${port} to allow this URL.`
}

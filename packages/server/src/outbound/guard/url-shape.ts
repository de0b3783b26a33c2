import { isIP } from 'node:net'
import type { UrlErrorCode } from '@mediamill/contract/domain/errors'
import { MAX_URL_LENGTH } from '@mediamill/contract/domain/limits'
import type { AllowedHosts } from './allowed-hosts.ts'
import { bareHost, isAllowedHost } from './allowed-hosts.ts'

export type RejectedUrl = {
  ok: false
  code: UrlErrorCode
  message: string
  cause?: unknown
  /** Set if the operator blocks the public address of the host with BLOCKED_NETWORKS. */
  isByOperator?: true
}

export type WebUrl = {
  href: string
  secure: boolean
  authority: string
  /** The host name in lower case, without brackets and without a final dot. */
  hostname: string
  port: number
  path: string
  exempt: boolean
}

/** Rejects text that a URL parser would repair, so that the service fetches exactly the given URL (sources.urls.2). */
export function checkUrlShape(text: string, allowedHosts: AllowedHosts): { ok: true; url: WebUrl } | RejectedUrl {
  // security check: a URL that is too long
  if (text.length > MAX_URL_LENGTH && Array.from(text).length > MAX_URL_LENGTH) {
    return invalid(`The URL is longer than ${MAX_URL_LENGTH} characters.`)
  }
  // security check: half a character in a URL
  if (!text.isWellFormed()) return invalid('The URL contains a lone surrogate.')
  // Checked first, so that the error for a local path with a space is about the missing scheme.
  if (!/^https?:/i.test(text)) return invalid(NO_SCHEME)
  // security check: whitespace, control characters, and backslashes in a URL
  if (!VISIBLE.test(text)) {
    return invalid(
      'The URL contains a space, a control character, or a backslash. Percent-encode it, such as %20 for a space.',
    )
  }
  // security check: a URL without its slashes, which a parser adds
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) return invalid(NO_SCHEME)
  // security check: a user name in a URL
  if (authority.includes('@')) return invalid('The URL must not contain a user name or a password.')
  const parsed = URL.parse(text)
  if (parsed === null) return invalid('The URL is not a valid http or https URL.')
  return checkParsed(parsed, allowedHosts)
}

function checkParsed(parsed: URL, allowedHosts: AllowedHosts): { ok: true; url: WebUrl } | RejectedUrl {
  const secure = parsed.protocol === 'https:'
  const hostname = bareHost(parsed.hostname)
  const port = parsed.port === '' ? (secure ? 443 : 80) : Number(parsed.port)
  const exempt = isAllowedHost(allowedHosts, hostname, port)
  // security check: an invalid host name
  if (isIP(hostname) === 0 && !HOST.test(hostname)) return invalid('The host of the URL is not a valid host name.')
  // security check: a port other than the default
  if (parsed.port !== '' && !exempt) {
    return invalid('The URL must use the default port: 80 for http, 443 for https.')
  }
  // security check: an internal name
  if (!exempt && isInternalName(hostname)) {
    return {
      ok: false,
      code: 'url_blocked',
      message: `The host ${hostname} is an internal name. Send a URL that the whole internet can reach.`,
    }
  }
  parsed.hash = ''
  const path = `${parsed.pathname}${parsed.search}`
  return { ok: true, url: { href: parsed.href, secure, authority: parsed.host, hostname, port, path, exempt } }
}

const NO_SCHEME = 'The URL must start with http:// or https:// and a host.'

/** Matches visible characters. Allows non-ASCII characters, because URL parsers percent-encode them. */
const VISIBLE = /^[!-[\]-~\u0080-\u{10ffff}]*$/u

/** Matches host names of RFC 1123. Allows underscores, because some hosts have underscores. */
const HOST = /^(?=.{1,253}$)(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*$/

/** Returns whether a host name exists only in private networks (sources.urls.3; RFC 6761, 6762, 8375). */
function isInternalName(hostname: string): boolean {
  if (isIP(hostname) !== 0) return false
  return !hostname.includes('.') || /\.(?:localhost|local|internal|home\.arpa)$/.test(hostname)
}

const invalid = (message: string): RejectedUrl => ({ ok: false, code: 'url_invalid', message })

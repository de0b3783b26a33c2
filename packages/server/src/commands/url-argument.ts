import { InvalidArgumentError } from 'commander'
import type { AllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { parseAllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { checkUrlShape } from '../outbound/guard/url-shape.ts'

/** A URL from the command line. Its host and port may be private, but the host of a redirect must be public. */
export type TypedUrl = { url: string; onlyItsHost: AllowedHosts }

/** Parses an http or https URL. The IP address of the host is checked later, when the URL is called. */
export function urlArgument(text: string): TypedUrl {
  const url = URL.parse(text)
  const port = url?.port || (url?.protocol === 'https:' ? '443' : '80')
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') {
    const onlyItsHost = parseAllowedHosts(`${url.hostname}:${port}`)
    if (checkUrlShape(text, onlyItsHost).ok) return { url: text, onlyItsHost }
  }
  throw new InvalidArgumentError('It must be an http or https URL such as http://localhost:3000/webhook.')
}

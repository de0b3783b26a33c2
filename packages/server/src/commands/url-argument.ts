import { InvalidArgumentError } from 'commander'
import type { AllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { parseAllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { checkUrlShape } from '../outbound/guard/url-shape.ts'

/** A URL on the command line. Its own host and port may be private; the host of a redirect may not. */
export type TypedUrl = { url: string; onlyItsHost: AllowedHosts }

/** Parses an http or https URL. The address of the host is checked when the URL is called. */
export function urlArgument(text: string): TypedUrl {
  const url = URL.parse(text)
  const port = url?.port || (url?.protocol === 'https:' ? '443' : '80')
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') {
    const onlyItsHost = parseAllowedHosts(`${url.hostname}:${port}`)
    if (checkUrlShape(text, onlyItsHost).ok) return { url: text, onlyItsHost }
  }
  throw new InvalidArgumentError('It must be an http or https URL such as http://localhost:3000/webhook.')
}

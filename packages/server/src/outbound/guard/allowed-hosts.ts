/**
 * Hosts that the operator exempts from the rules about public addresses and default ports. Each is `host:port` in the
 * form a parsed URL gives them (operator.settings.4). Matches are exact, so a redirect to a neighbouring port is refused.
 */
export type AllowedHosts = ReadonlySet<string>

/** Nobody is exempt: the right setting for a service on the public internet. */
export const NO_ALLOWED_HOSTS: AllowedHosts = new Set()

/**
 * Reads `ALLOWED_PRIVATE_HOSTS`: comma-separated `host:port`, an IPv6 address in brackets.
 *
 * Throws `RangeError` with a message that names the entry that is wrong.
 */
export function parseAllowedHosts(text: string): AllowedHosts {
  const entries = text.split(',').map((entry) => entry.trim())
  return new Set(entries.filter((entry) => entry !== '').map(parseEntry))
}

/** Tells whether this host and port are exempt. `hostname` is lower case, an IPv6 address without its brackets. */
export function isAllowedHost(allowed: AllowedHosts, hostname: string, port: number): boolean {
  // wall: a neighbouring port of an exempt host
  return allowed.size > 0 && allowed.has(`${hostname}:${port}`)
}

function parseEntry(entry: string): string {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(entry)
  const port = Number(match?.[2])
  const url = `http://${match?.[1]}/`
  if (match === null || port < 1 || port > 65_535 || !URL.canParse(url)) {
    throw new RangeError(`"${entry}" is not host:port, such as files.example:8080, 127.0.0.1:9000 or [::1]:9000`)
  }
  // The parser gives an address one spelling, so that `[0::1]:80` and `[::1]:80` are the same entry.
  return `${bareHost(new URL(url).hostname)}:${port}`
}

/** A parsed URL's host as it is looked up: no brackets, no final dot. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

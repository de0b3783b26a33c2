/** Hosts, as `host:port`, that are exempt from the rules for addresses and ports (operator.settings.4). */
export type AllowedHosts = ReadonlySet<string>

export const NO_ALLOWED_HOSTS: AllowedHosts = new Set()

export function parseAllowedHosts(text: string): AllowedHosts {
  const entries = text.split(',').map((entry) => entry.trim())
  return new Set(entries.filter((entry) => entry !== '').map(parseEntry))
}

/** Returns whether a host and port are exempt. `hostname` must be lower case; an IPv6 address must have no brackets. */
export function isAllowedHost(allowed: AllowedHosts, hostname: string, port: number): boolean {
  // security check: a neighboring port of an exempt host
  return allowed.size > 0 && allowed.has(`${hostname}:${port}`)
}

function parseEntry(entry: string): string {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(entry)
  const port = Number(match?.[2])
  const url = `http://${match?.[1]}/`
  if (match === null || port < 1 || port > 65_535 || !URL.canParse(url)) {
    throw new RangeError(`it must be host:port pairs separated by commas, but "${entry}" is not a host:port pair`)
  }
  // The URL parser normalizes addresses, so that `[0::1]:80` and `[::1]:80` become the same entry.
  return `${bareHost(new URL(url).hostname)}:${port}`
}

export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

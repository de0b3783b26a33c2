export const hostOf = (address: string): string => new URL(address).hostname.replaceAll(/^\[|\]$/g, '')

export function withParameter(address: string, name: string, value: string | undefined): string {
  const [base = '', query = ''] = address.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  // Keeps the spelling of an unchanged query string, because other programs parse the URL too.
  if (value === undefined && !parameters.has(name)) return address
  if (value === undefined) parameters.delete(name)
  else parameters.set(name, value)
  return parameters.size === 0 ? base : `${base}?${parameters.toString()}`
}

export const parameterOf = (address: string, name: string): string | null =>
  new URLSearchParams(address.split(/\?(.*)/s)[1]).get(name)

/** The values of `target_session_attrs` that select the primary. Other values are only useful with several servers. */
const PRIMARY = new Set([null, 'read-write', 'primary'])

/** Returns why the server in a database URL is not supported, or `undefined`. The text does not contain the URL. */
export function wrongServer(address: string): string | undefined {
  const [, hosts = ''] = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(address) ?? []
  if (hosts.includes(',')) {
    return 'it must name one host. Use the address of HAProxy, PgBouncer, or a managed endpoint that leads to the primary'
  }
  const wanted = parameterOf(address, 'target_session_attrs')
  return PRIMARY.has(wanted) ? undefined : 'target_session_attrs must be read-write or primary'
}

/** Removes `target_session_attrs`. Only database clients evaluate this parameter: a server would reject it. */
export const withoutAttributes = (address: string): string => withParameter(address, 'target_session_attrs', undefined)

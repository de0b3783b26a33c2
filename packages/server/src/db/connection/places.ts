/** Words that may say which of several servers is wanted. We write, so that both mean the primary. */
const WANTED = new Set(['read-write', 'primary'])
const WANTED_PARAMETER = 'target_session_attrs'

/** The addresses that a database's address with several hosts stands for. Each has one host; most have only one. */
export type DatabasePlaces = {
  addresses: readonly [string, ...string[]]
  /** Whether a server that takes no writes may be among them, and has to be told apart. */
  mayBeStandby: boolean
}

/**
 * Reads a database's address as libpq writes it, `postgres://user@one:5432,two:5432/name?target_session_attrs=read-write`.
 *
 * Returns `undefined` where one of its parts is no address, or where it asks for a server that takes no writes.
 */
export function databasePlaces(address: string): DatabasePlaces | undefined {
  const [, before = '', hosts = '', after = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? []
  const each = hosts.split(',').map((host) => `${before}${host}${after}`)
  if (!each.every((one) => URL.canParse(one))) return undefined
  const urls = each.map((one) => new URL(one))
  const wanted = urls[0]?.searchParams.get(WANTED_PARAMETER) ?? undefined
  if (wanted !== undefined && !WANTED.has(wanted)) return undefined
  const [first, ...others] = each.map((one) => withParameter(one, WANTED_PARAMETER, undefined))
  if (first === undefined) return undefined
  return { addresses: [first, ...others], mayBeStandby: others.length > 0 || wanted !== undefined }
}

/** The host of an address that has one host. An IPv6 address has no brackets. */
export const hostOf = (address: string): string => new URL(address).hostname.replaceAll(/^\[|\]$/g, '')

/** The address with this parameter in its query, or without it. Its hosts may be several. */
export function withParameter(address: string, name: string, value: string | undefined): string {
  const [place = '', query = ''] = address.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  // What is left as it was is not written anew: another program reads it.
  if (value === undefined && !parameters.has(name)) return address
  if (value === undefined) parameters.delete(name)
  else parameters.set(name, value)
  return parameters.size === 0 ? place : `${place}?${parameters.toString()}`
}

/** What the address says of this parameter. */
export const parameterOf = (address: string, name: string): string | null =>
  new URLSearchParams(address.split(/\?(.*)/s)[1]).get(name)

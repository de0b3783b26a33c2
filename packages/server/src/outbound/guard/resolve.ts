import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import type { Network } from '../network.ts'
import { isBlocked, isPublicAddress } from './public-address.ts'
import type { RejectedUrl, WebUrl } from './url-shape.ts'

type ResolveOptions = {
  timeoutMs: number
  signal?: AbortSignal
}

/**
 * Returns the addresses of a host. Rejects a host if any address is private or blocked, because public hosts have no
 * private addresses. Queries name servers directly: the system's resolver blocks threads, and uses /etc/hosts and
 * search domains.
 */
export async function resolveHost(
  url: WebUrl,
  network: Network,
  options: ResolveOptions,
): Promise<{ ok: true; addresses: string[] } | RejectedUrl> {
  // security check: a private address in a URL
  const literal = isIP(url.hostname) !== 0
  let addresses: string[]
  try {
    addresses = literal ? [url.hostname] : await findAddresses(url, network, options)
  } catch (cause) {
    options.signal?.throwIfAborted()
    return {
      ok: false,
      code: 'url_unresolvable',
      message: `The host ${url.hostname} has no address. Check its spelling, or try again later.`,
      cause,
    }
  }
  // security check: a private address behind a name
  const privateAddress = url.exempt ? undefined : addresses.find((address) => !isPublicAddress(address))
  const blocked = url.exempt ? undefined : addresses.find((address) => isBlocked(address, network.blockedNetworks))
  if (privateAddress === undefined && blocked === undefined) return { ok: true, addresses }
  if (privateAddress === undefined) {
    return {
      ok: false,
      code: 'url_blocked',
      message: `The operator of this service blocks the host ${url.hostname}. Send a URL of another host.`,
      isByOperator: true,
      cause: new Error(`${url.hostname} has the address ${blocked}, which is in BLOCKED_NETWORKS`),
    }
  }
  const cause = new Error(`${url.hostname} has the address ${privateAddress}, which is not public`)
  return {
    ok: false,
    code: 'url_blocked',
    message: `The host ${url.hostname} is not on the public internet. Send a URL that the whole internet can reach.`,
    cause,
  }
}

async function findAddresses(url: WebUrl, network: Network, options: ResolveOptions): Promise<string[]> {
  // Queries for these names must never be sent (RFC 6761, RFC 7686).
  // security check: reserved names
  if (/(?:^|\.)(?:invalid|onion)$/.test(url.hostname)) throw new Error('the host name is reserved and has no address')
  // security check: /etc/hosts and search domains
  if (!url.exempt) return queryServers(url.hostname, network, options)
  // An exempt host may be listed in /etc/hosts, or have a name without a dot, as in a compose network.
  try {
    return await querySystem(url.hostname, options.timeoutMs)
  } catch (error) {
    if (network.dnsServers === undefined) throw error
    return queryServers(url.hostname, network, options)
  }
}

/** Looks up a host with the system's resolver. A lookup cannot be canceled, so it may continue after the timeout. */
async function querySystem(hostname: string, timeoutMs: number): Promise<string[]> {
  const entries = await withTimeout(sharedLookup(hostname), timeoutMs, () => {
    throw new Error('the system resolver timed out')
  })
  return entries.map((entry) => entry.address)
}

const lookups = new Map<string, Promise<LookupAddress[]>>()

function sharedLookup(hostname: string): Promise<LookupAddress[]> {
  const running = lookups.get(hostname) ?? lookup(hostname, { all: true }).finally(() => lookups.delete(hostname))
  // security check: threads blocked in the system's resolver
  lookups.set(hostname, running)
  return running
}

async function queryServers(hostname: string, network: Network, options: ResolveOptions): Promise<string[]> {
  // c-ares doubles the timeout for its second try. Canceling a resolver cancels all its lookups, so each host has its
  // own resolver.
  const resolver = new Resolver({ timeout: Math.max(50, Math.floor(options.timeoutMs / 3)), tries: 2 })
  if (network.dnsServers !== undefined) resolver.setServers(network.dnsServers)
  const cancel = () => resolver.cancel()
  // security check: a name server that does not respond
  const timer = setTimeout(cancel, options.timeoutMs)
  options.signal?.throwIfAborted()
  options.signal?.addEventListener('abort', cancel, { once: true })
  try {
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (addresses.length > 0) return addresses
    throw new AggregateError(results.map((result) => (result.status === 'rejected' ? result.reason : undefined)))
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', cancel)
  }
}

import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Network } from '../network.ts'
import { isBlocked, isPublicAddress } from './public-address.ts'
import type { UrlRefusal, WebUrl } from './url-shape.ts'

export type ResolveOptions = {
  /** How long the name servers have; both address families are asked at once. */
  timeoutMs: number
  signal?: AbortSignal
}

/**
 * Finds the addresses of a URL's host, once. **Every** one must be public and in no blocked network, or the URL is
 * `url_blocked`. A name that
 * mixes in a private address is up to something.
 *
 * The name servers are asked by our own c-ares client: the system's resolver runs on the thread pool, where a few slow
 * names would hold up every file operation, and it reads /etc/hosts and search domains, which name internal hosts.
 * A name server that does not answer in time makes the URL `url_unresolvable` like a name that has no address: the
 * client hears at once and can call again. Throws only when `signal` is aborted.
 */
export async function resolveHost(
  url: WebUrl,
  network: Network,
  options: ResolveOptions,
): Promise<{ ok: true; addresses: string[] } | UrlRefusal> {
  // wall: a private address that a URL names
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
  // wall: a private address behind a name
  const refused = url.exempt ? undefined : addresses.find((address) => !isPublicAddress(address))
  const blocked = url.exempt ? undefined : addresses.find((address) => isBlocked(address, network.blockedNetworks))
  if (refused === undefined && blocked === undefined) return { ok: true, addresses }
  if (refused === undefined) {
    return {
      ok: false,
      code: 'url_blocked',
      message: 'The operator of this service blocks the host of the URL. Send a URL of another host.',
      cause: new Error(`${url.hostname} has the address ${blocked}, which is in BLOCKED_NETWORKS`),
    }
  }
  const cause = new Error(`${url.hostname} has the address ${refused}, which is not public`)
  return {
    ok: false,
    code: 'url_blocked',
    message: 'The host of the URL is not on the public internet. Send a URL that the whole internet can reach.',
    cause,
  }
}

async function findAddresses(url: WebUrl, network: Network, options: ResolveOptions): Promise<string[]> {
  // RFC 6761 and 7686: never to be asked of a name server.
  // wall: names that no name server is to hear
  if (/(?:^|\.)(?:invalid|onion)$/.test(url.hostname)) throw new Error('a name that has no address by definition')
  // wall: /etc/hosts and search domains
  if (!url.exempt) return queryServers(url.hostname, network, options)
  // Hosts that the operator exempts may stand in /etc/hosts or be known by one label, as in a compose network.
  try {
    return await askSystem(url.hostname, options.timeoutMs)
  } catch (error) {
    if (network.dnsServers === undefined) throw error
    return queryServers(url.hostname, network, options)
  }
}

/** The system's resolver cannot be stopped, only left behind. */
async function askSystem(hostname: string, timeoutMs: number): Promise<string[]> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the system gave no address in time')), timeoutMs)
  try {
    const entries = await Promise.race([sharedLookup(hostname), late.promise])
    return entries.map((entry) => entry.address)
  } finally {
    clearTimeout(timer)
  }
}

const lookups = new Map<string, Promise<LookupAddress[]>>()

/** Each takes one of the two threads that libuv has for this until the system gives up, so no host takes more than one. */
function sharedLookup(hostname: string): Promise<LookupAddress[]> {
  const running = lookups.get(hostname) ?? lookup(hostname, { all: true }).finally(() => lookups.delete(hostname))
  // wall: threads that wait for the system’s resolver
  lookups.set(hostname, running)
  return running
}

async function queryServers(hostname: string, network: Network, options: ResolveOptions): Promise<string[]> {
  // The second try waits twice as long as the first (c-ares). A resolver costs 20 µs; one each can be cancelled alone.
  const resolver = new Resolver({ timeout: Math.max(50, Math.floor(options.timeoutMs / 3)), tries: 2 })
  if (network.dnsServers !== undefined) resolver.setServers(network.dnsServers)
  const cancel = () => resolver.cancel()
  // wall: a name server that says nothing
  const timer = setTimeout(cancel, options.timeoutMs)
  options.signal?.throwIfAborted()
  options.signal?.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    throw new AggregateError(answers.map((answer) => (answer.status === 'rejected' ? answer.reason : undefined)))
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', cancel)
  }
}

import type { BlockList } from 'node:net'
import { isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { containsAddress } from '../lib/address-blocks.ts'

/** Returns a function for Fastify that trusts X-Forwarded-For only from addresses in `TRUSTED_PROXIES`. */
export function trustsProxies(blocks: BlockList | undefined): (address: string) => boolean {
  return (address) => {
    const bare = bareAddress(address)
    return blocks !== undefined && bare !== undefined && containsAddress(blocks, bare)
  }
}

/** Returns the client's IPv4 address or IPv6 /64, for limits and logs. Returns `unknown` if a proxy sent no address. */
export function clientPrefix({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const address = bareAddress(ip)
  if (address === undefined) return 'unknown'
  return isIPv4(address) ? address : `${expand(address).slice(0, 4).join(':')}::/64`
}

export function bareAddress(text: string): string | undefined {
  const address = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d{1,5})?$/, '$1')
    .replace(/^([\d.]+):\d{1,5}$/, '$1')
    .replace(/%.*/s, '')
  if (isIP(address) !== 6) return isIPv4(address) ? address : undefined
  const groups = expand(address).map((group) => Number.parseInt(group, 16))
  const [, , , , , mark, high = 0, low = 0] = groups
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && mark === 0xffff
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : address
}

function expand(address: string): string[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))
  if (tail === undefined) return groupsOf(head)
  const [before, after] = [groupsOf(head), groupsOf(tail)]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
}

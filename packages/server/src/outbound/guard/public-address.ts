import type { BlockList } from 'node:net'
import { isIP, isIPv4 as isIPv4Text } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AddressRange } from './address-ranges.ts'
import { ALLOCATED_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './address-ranges.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Returns whether an address is public. All checks must agree, because a single check may have a gap. */
export function isPublicAddress(ip: string): boolean {
  // A zone (`%eth0`) names an interface of this machine, so the address is not public.
  // security check: a zone of this machine in an address
  if (isIP(ip) === 0 || ip.includes('%')) return false
  const address = ipaddr.parse(ip)
  // security check: all checks must agree
  return Object.values(CHECKS).every((isPublic) => isPublic(address))
}

export function isBlocked(ip: string, blocked: BlockList | undefined): boolean {
  // security check: a network that the operator blocks
  return blocked?.check(ip, isIPv4Text(ip) ? 'ipv4' : 'ipv6') ?? false
}

export const CHECKS = {
  // security check: the library’s check of an address
  library: (address: Address) => address.range() === 'unicast',
  // security check: the IPv4 special-purpose blocks
  registered: (address: Address) => !isWithin(address, isIPv4(address) ? SPECIAL_4 : SPECIAL_6),
  // security check: unallocated IPv6 space
  allocated: (address: Address) => isIPv4(address) || isWithin(address, ALLOCATED_6),
  // security check: an IPv4 address inside ISATAP
  plain: (address: Address) => isIPv4(address) || !isIsatap(address),
}

const isIPv4 = (address: Address): address is ipaddr.IPv4 => address instanceof ipaddr.IPv4

type Block = ReturnType<typeof ipaddr.parseCIDR>

const parse = (ranges: readonly AddressRange[]): Block[] => ranges.map(([cidr]) => ipaddr.parseCIDR(cidr))

const SPECIAL_4 = parse(SPECIAL_IPV4)
const SPECIAL_6 = parse(SPECIAL_IPV6)
const ALLOCATED_6 = parse(ALLOCATED_IPV6)

function isWithin(address: Address, blocks: readonly Block[]): boolean {
  return blocks.some((block) => address.match(block))
}

/** Returns whether an address is ISATAP (RFC 5214): its interface id is 0:5efe or 200:5efe, then an IPv4 address. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return ((address.parts[4] ?? 0) & ~0x0200) === 0 && address.parts[5] === 0x5efe
}

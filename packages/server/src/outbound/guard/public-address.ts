import type { BlockList } from 'node:net'
import { isIP, isIPv4 as isIPv4Text } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AddressRange } from './address-ranges.ts'
import { ALLOCATED_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './address-ranges.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Tells whether `ip` is reachable on the public internet. It is an address in its plain text form.
 *
 * An address we cannot classify is not public. All opinions must agree, so that a block that one of them lacks is still
 * refused.
 */
export function isPublicAddress(ip: string): boolean {
  // A zone (`%eth0`) names an interface of this machine; no public address has one.
  // wall: a zone of this machine in an address
  if (isIP(ip) === 0 || ip.includes('%')) return false
  const address = ipaddr.parse(ip)
  // wall: all opinions must agree
  return Object.values(OPINIONS).every((isPublic) => isPublic(address))
}

/** Whether the operator blocks connections to a public address (`BLOCKED_NETWORKS`). */
export function isBlocked(ip: string, blocked: BlockList | undefined): boolean {
  // wall: a network that the operator blocks
  return blocked?.check(ip, isIPv4Text(ip) ? 'ipv4' : 'ipv6') ?? false
}

/** Tells whether an address is public, as each of several judges for itself. */
export const OPINIONS = {
  /** The tables of ipaddr.js. */
  // wall: the library’s opinion of an address
  library: (address: Address) => address.range() === 'unicast',
  /** Our own tables of what is registered for special purposes. */
  // wall: the IPv4 special-purpose blocks
  registered: (address: Address) => !isWithin(address, isIPv4(address) ? SPECIAL_4 : SPECIAL_6),
  /** What IANA has handed out to anybody. */
  // wall: IPv6 space that nobody has
  allocated: (address: Address) => isIPv4(address) || isWithin(address, ALLOCATED_6),
  /** Whether no IPv4 address is hidden in it. */
  // wall: an IPv4 address hidden by ISATAP
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

/** ISATAP (RFC 5214) hides an IPv4 address in the low half of any prefix, behind the interface id 0000:5efe or 0200:5efe. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return ((address.parts[4] ?? 0) & ~0x0200) === 0 && address.parts[5] === 0x5efe
}

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type AddressRange, ALLOCATED_IPV6, SPECIAL_IPV4, SPECIAL_IPV6 } from './address-ranges.ts'

/**
 * Whether `ip`, an address in its plain text form, is reachable on the public internet.
 *
 * An address we cannot classify is not public. Both our own tables and ipaddr.js must agree, so that a block that one
 * of them lacks is still refused.
 */
export function isPublicAddress(ip: string): boolean {
  // A zone (`%eth0`) names an interface of this machine; no public address has one.
  if (isIP(ip) === 0 || ip.includes('%')) return false
  const address = ipaddr.parse(ip)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !isWithin(address, SPECIAL_4)
  return isWithin(address, ALLOCATED_6) && !isWithin(address, SPECIAL_6) && !isIsatap(address)
}

type Block = ReturnType<typeof ipaddr.parseCIDR>

const parse = (ranges: readonly AddressRange[]): Block[] => ranges.map(([cidr]) => ipaddr.parseCIDR(cidr))

const SPECIAL_4 = parse(SPECIAL_IPV4)
const SPECIAL_6 = parse(SPECIAL_IPV6)
const ALLOCATED_6 = parse(ALLOCATED_IPV6)

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, blocks: readonly Block[]): boolean {
  return blocks.some((block) => address.match(block))
}

/** ISATAP (RFC 5214) hides an IPv4 address in the low half of any prefix, behind the interface id 0000:5efe or 0200:5efe. */
function isIsatap(address: ipaddr.IPv6): boolean {
  return ((address.parts[4] ?? 0) & ~0x0200) === 0 && address.parts[5] === 0x5efe
}

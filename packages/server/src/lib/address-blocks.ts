import { BlockList, isIP, isIPv4 } from 'node:net'

/**
 * Parses a comma-separated list of addresses and blocks. Returns `undefined` for invalid text, and for a block that
 * contains all addresses.
 */
export function addressBlocks(text: string): BlockList | undefined {
  const blocks = new BlockList()
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [address = '', length, ...others] = entry.split('/')
    // An address with a zone (`fe80::1%eth0`) is for one network interface, which a block list cannot express.
    const version = address.includes('%') ? 0 : isIP(address)
    const maximum = version === 4 ? 32 : 128
    const bits = length === undefined ? maximum : /^\d{1,3}$/.test(length) ? Number(length) : 0
    if (version === 0 || bits < 1 || bits > maximum || others.length > 0) return undefined
    blocks.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
  }
  return blocks
}

export const containsAddress = (blocks: BlockList, address: string): boolean =>
  blocks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

export type AddressRange = readonly [cidr: string, registeredAs: string]

/**
 * IPv4 blocks that are not public: the IANA special-purpose registry, multicast, and blocks that clouds use internally.
 * Includes the blocks of AS112, AMT, and PCP. They are globally reachable, but have no web servers.
 */
export const SPECIAL_IPV4: readonly AddressRange[] = [
  ['0.0.0.0/8', 'this network, RFC 791'],
  ['10.0.0.0/8', 'private use, RFC 1918'],
  ['100.64.0.0/10', 'shared address space, RFC 6598; holds the metadata service of Alibaba Cloud'],
  ['127.0.0.0/8', 'loopback, RFC 1122'],
  ['168.63.129.16/32', 'the platform service of Azure, which registers it as ordinary space'],
  ['169.254.0.0/16', 'link local, RFC 3927; holds the metadata services of most clouds'],
  ['172.16.0.0/12', 'private use, RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments, RFC 6890; holds the metadata service of Oracle Cloud'],
  ['192.0.2.0/24', 'documentation, RFC 5737'],
  ['192.31.196.0/24', 'AS112, RFC 7535'],
  ['192.52.193.0/24', 'AMT, RFC 7450'],
  ['192.88.99.0/24', '6to4 relays, RFC 7526'],
  ['192.168.0.0/16', 'private use, RFC 1918'],
  ['192.175.48.0/24', 'AS112, RFC 7534'],
  ['198.18.0.0/15', 'benchmarks, RFC 2544'],
  ['198.51.100.0/24', 'documentation, RFC 5737'],
  ['203.0.113.0/24', 'documentation, RFC 5737'],
  ['224.0.0.0/4', 'multicast, RFC 5771'],
  ['240.0.0.0/4', 'reserved, RFC 1112, and limited broadcast, RFC 919'],
]

/** IPv6 blocks that are allocated to a registry, as of 2026. All other IPv6 addresses are rejected. */
export const ALLOCATED_IPV6: readonly AddressRange[] = [
  ['2001:200::/23', 'APNIC'],
  ['2001:400::/23', 'ARIN'],
  ['2001:600::/23', 'RIPE NCC'],
  ['2001:800::/22', 'RIPE NCC'],
  ['2001:c00::/23', 'APNIC'],
  ['2001:e00::/23', 'APNIC'],
  ['2001:1200::/23', 'LACNIC'],
  ['2001:1400::/22', 'RIPE NCC'],
  ['2001:1800::/23', 'ARIN'],
  ['2001:1a00::/23', 'RIPE NCC'],
  ['2001:1c00::/22', 'RIPE NCC'],
  ['2001:2000::/19', 'RIPE NCC'],
  ['2001:4000::/23', 'RIPE NCC'],
  ['2001:4200::/23', 'AFRINIC'],
  ['2001:4400::/23', 'APNIC'],
  ['2001:4600::/23', 'RIPE NCC'],
  ['2001:4800::/23', 'ARIN'],
  ['2001:4a00::/23', 'RIPE NCC'],
  ['2001:4c00::/23', 'RIPE NCC'],
  ['2001:5000::/20', 'RIPE NCC'],
  ['2001:8000::/19', 'APNIC'],
  ['2001:a000::/20', 'APNIC'],
  ['2001:b000::/20', 'APNIC'],
  ['2003::/18', 'RIPE NCC'],
  ['2400::/12', 'APNIC'],
  ['2410::/12', 'APNIC'],
  ['2600::/12', 'ARIN'],
  ['2610::/23', 'ARIN'],
  ['2620::/23', 'ARIN'],
  ['2630::/12', 'ARIN'],
  ['2800::/12', 'LACNIC'],
  ['2a00::/12', 'RIPE NCC'],
  ['2a10::/12', 'RIPE NCC'],
  ['2c00::/12', 'AFRINIC'],
]

/** IPv6 blocks that are not public: the IANA special-purpose registry, RFC 4291, and RFC 3879. */
export const SPECIAL_IPV6: readonly AddressRange[] = [
  // The block contains ::, ::1, and the IPv4-compatible addresses ::a.b.c.d.
  ['::/96', 'unspecified, loopback and IPv4-compatible, RFC 4291'],
  ['::ffff:0:0/96', 'IPv4-mapped, RFC 4291'],
  ['::ffff:0:0:0/96', 'IPv4-translated, RFC 7915'],
  // A NAT64 gateway connects to the IPv4 address that the IPv6 address contains. It may be private.
  ['64:ff9b::/96', 'NAT64, RFC 6052'],
  ['64:ff9b:1::/48', 'local-use NAT64, RFC 8215'],
  ['100::/64', 'discard only, RFC 6666'],
  ['100:0:0:1::/64', 'dummy prefix, RFC 9780'],
  ['2001::/23', 'IETF protocol assignments, RFC 2928: Teredo, benchmarks, ORCHID, AMT, AS112, DRIP'],
  ['2001:db8::/32', 'documentation, RFC 3849'],
  ['2002::/16', '6to4, RFC 3056'],
  ['2620:4f:8000::/48', 'AS112, RFC 7534'],
  ['3fff::/20', 'documentation, RFC 9637'],
  ['5f00::/16', 'segment routing, RFC 9602'],
  ['fc00::/7', 'unique local, RFC 4193; holds the IPv6 metadata service of AWS'],
  ['fe80::/10', 'link local, RFC 4291'],
  ['fec0::/10', 'site local, RFC 3879'],
  ['ff00::/8', 'multicast, RFC 4291'],
]

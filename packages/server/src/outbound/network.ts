import type { BlockList } from 'node:net'
import type { Samples } from './fetch/samples.ts'
import type { AllowedHosts } from './guard/allowed-hosts.ts'

export type Network = {
  allowedHosts: AllowedHosts
  /** Public networks that the operator blocks (`BLOCKED_NETWORKS`). Exempt hosts are not blocked. */
  blockedNetworks?: BlockList | undefined
  samples?: Samples
  /** `address:port` of name servers that replace the machine's own: for tests. */
  dnsServers?: readonly string[]
  /** Certificate authorities in PEM that replace the built-in ones: for tests. */
  certificateAuthorities?: string
}

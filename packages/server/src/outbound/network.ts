import type { BlockList } from 'node:net'
import type { Samples } from './fetch/samples.ts'
import type { AllowedHosts } from './guard/allowed-hosts.ts'

/** How this machine sees the internet: the settings that everything which opens connections shares. */
export type Network = {
  allowedHosts: AllowedHosts
  /** Public networks that the operator blocks (`BLOCKED_NETWORKS`). Exempt hosts are not blocked. */
  blockedNetworks?: BlockList | undefined
  /** Our own samples, which are read without a connection. */
  samples?: Samples
  /** `address:port` of the name servers to ask in place of the machine's own: for tests. */
  dnsServers?: readonly string[]
  /** Certificate authorities in PEM to trust in place of the built-in ones: for tests. */
  certificateAuthorities?: string
}

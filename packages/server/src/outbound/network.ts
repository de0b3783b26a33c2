import type { BlockList } from 'node:net'
import type { Samples } from './fetch/samples.ts'
import type { AllowedHosts } from './guard/allowed-hosts.ts'

export type Network = {
  allowedHosts: AllowedHosts
  blockedNetworks?: BlockList | undefined
  samples?: Samples
  dnsServers?: readonly string[]
  /** Certificates in PEM format that replace the built-in authorities. Only for tests. */
  certificateAuthorities?: string
}

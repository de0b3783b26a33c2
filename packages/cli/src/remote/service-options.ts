import type { Command } from 'commander'

export type ServiceOptions = { url?: string; profile?: string }

export function addServiceOptions(command: Command): void {
  command
    .option('--url <url>', 'URL of the server (default: MEDIAMILL_URL, or the profile)')
    .option('--profile <name>', 'profile saved by mediamill login')
}

import type { Command } from 'commander'

/** The server and the key to use. */
export type ServiceOptions = { url?: string; profile?: string }

/** Adds the options that select a server and a key. */
export function addServiceOptions(command: Command): void {
  command
    .option('--url <url>', 'URL of the server (default: MEDIAMILL_URL, or the profile)')
    .option('--profile <name>', 'profile saved by mediamill login')
}

import type { Command } from 'commander'

/** Which service is meant, and as whom. */
export type ServiceOptions = { url?: string; profile?: string }

/** Gives a verb the options that say which service is meant. */
export function addServiceOptions(command: Command): void {
  command
    .option('--url <url>', 'the service; MEDIAMILL_URL or the profile when it is left out')
    .option('--profile <name>', 'the profile that mediamill login has kept')
}

import type { OpenLocal } from '@mediamill/cli/src/batch/run-processing-command'
import { CLIENT_COMMANDS } from '@mediamill/cli/src/commands'
import type { Command } from 'commander'

/** Adds the commands of the client in a group, because three have the same names as commands for operators. */
export async function register(program: Command, openLocal?: OpenLocal): Promise<void> {
  const client = program
    .command('client')
    .description('Run a client command with an API key: account, usage, listen, and all client commands above.')
  for (const load of Object.values(CLIENT_COMMANDS)) await (await load()).register(client, openLocal)
}

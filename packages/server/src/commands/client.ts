import { CLIENT_COMMANDS } from '@mediamill/cli/src/commands'
import type { OpenLocal } from '@mediamill/cli/src/work/work-on'
import type { Command } from 'commander'

/** The client's verbs under a word of their own. Three of them are the operator's by the same name. */
export async function register(program: Command, openLocal?: OpenLocal): Promise<void> {
  const client = program
    .command('client')
    .description('What any client of a service can do, with a key: account, usage, listen and all the verbs above.')
  for (const load of Object.values(CLIENT_COMMANDS)) await (await load()).register(client, openLocal)
}

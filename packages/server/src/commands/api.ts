import type { Command } from 'commander'
import { roleHelp } from './settings-help.ts'

export function register(program: Command): void {
  program
    .command('api')
    .description('Run the HTTP API. Several processes can share one database and one object store.')
    .addHelpText('after', () => roleHelp('api'))
    .action(async () => {
      const [{ runRole }, { startApi }] = await Promise.all([import('../app/role.ts'), import('../app/api.ts')])
      await runRole('api', startApi)
    })
}

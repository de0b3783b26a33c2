import type { Command } from 'commander'
import { roleHelp } from './settings-help.ts'

export function register(program: Command): void {
  program
    .command('worker')
    .description('Work on requests, alone; any number of these may share one database and one store.')
    .addHelpText('after', () => roleHelp('worker'))
    .action(async () => {
      const [{ runRole }, { startWorkers }] = await Promise.all([import('../app/role.ts'), import('../app/worker.ts')])
      await runRole('worker', startWorkers)
    })
}

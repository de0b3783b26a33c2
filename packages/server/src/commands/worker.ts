import type { Command } from 'commander'
import { roleHelp } from './settings-help.ts'

export function register(program: Command): void {
  program
    .command('worker')
    .description('Run a worker. Several processes can share one database and one object store.')
    .addHelpText('after', () => roleHelp('worker'))
    .action(async () => {
      const [{ runRole }, { startWorkers }] = await Promise.all([import('../app/role.ts'), import('../app/worker.ts')])
      await runRole('worker', startWorkers)
    })
}

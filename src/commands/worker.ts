import type { Command } from 'commander'
import { runRole } from '../app/role.ts'
import { startWorkers } from '../app/worker.ts'

export function register(program: Command): void {
  program
    .command('worker')
    .description('Work on requests, alone; any number of these may share one database and one store.')
    .action(() => runRole('worker', startWorkers))
}

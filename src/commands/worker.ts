import type { Command } from 'commander'
import { startWorkers } from '../app/worker.ts'
import { runRole } from '../app/role.ts'

export function register(program: Command): void {
  program
    .command('worker')
    .description('Work on requests, alone; any number of these may share one database and one store.')
    .action(() => runRole('worker', startWorkers))
}

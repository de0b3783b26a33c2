import type { Command } from 'commander'
import { startApi } from '../app/api.ts'
import { runRole } from '../app/role.ts'

export function register(program: Command): void {
  program
    .command('api')
    .description('Serve the HTTP interface alone; any number of these may share one database and one store.')
    .action(() => runRole('api', startApi))
}

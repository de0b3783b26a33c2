import type { Command } from 'commander'

export function register(program: Command): void {
  program
    .command('api')
    .description('Serve the HTTP interface alone; any number of these may share one database and one store.')
    .action(async () => {
      const [{ runRole }, { startApi }] = await Promise.all([import('../app/role.ts'), import('../app/api.ts')])
      await runRole('api', startApi)
    })
}

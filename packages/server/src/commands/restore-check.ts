import { print } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import { countArgument, JSON_FLAG } from './administration/administer.ts'
import { describeFinding } from './doctor/describe-finding.ts'
import { isProblem, presentFinding } from './doctor/finding.ts'

export function register(program: Command): void {
  program
    .command('restore-check')
    .description('Check a restored copy of the database and its files. It starts nothing and changes nothing.')
    .option('--results <n>', 'number of the newest results to check in the store', countArgument, 100)
    .option(...JSON_FLAG, false)
    .addHelpText(
      'after',
      `
Set DATABASE_URL and STORAGE_URL to the copies, and SECRET_KEY to the key of the backup. It compares the schema, the keys,
the ledger, and a sample of result files. No request is claimed, no webhook is delivered, and no file is deleted.
It exits with 1 if it finds a problem.

Example:
  mediamill restore-check`,
    )
    .action(async ({ results, json }: { results: number; json: boolean }) => {
      const { examineRestored } = await import('./doctor/restored.ts')
      const findings = await examineRestored(results)
      print(json, { findings: findings.map(presentFinding) }, () => findings.map(describeFinding).join('\n'))
      if (findings.some(isProblem)) process.exitCode = 1
    })
}

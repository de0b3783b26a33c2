import type { Command } from 'commander'
import { listDifferences, listMischarged } from '../db/ledger.ts'
import { OperatorError } from '../domain/errors.ts'
import { JSON_FLAG, withDatabase } from './administer.ts'
import { describeTable, good, print } from './output.ts'

export function register(program: Command): void {
  const ledger = program.command('ledger').description('Check the books.')
  ledger
    .command('verify')
    .description('Recompute every balance from the ledger, and every hold and charge from the requests.')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      '\nExits with 1 and prints the rows on any difference.\n\nExample:\n  mediamill ledger verify',
    )
    .action(async (options: { json?: true }) => {
      const { differences, mischarged } = await withDatabase(async (sql) => ({
        differences: await listDifferences(sql),
        mischarged: await listMischarged(sql),
      }))
      const agrees = differences.length + mischarged.length === 0
      const report = {
        ok: agrees,
        differences: differences.map(snakeCase),
        mischarged: mischarged.map(snakeCase),
      }
      print(options.json === true, report, () =>
        agrees
          ? good('The books agree: every balance is the sum of its ledger, every hold and charge that of its requests.')
          : [...table(report.differences), ...table(report.mischarged)].join('\n\n'),
      )
      if (!agrees) throw new OperatorError('The books do not agree.')
    })
}

function table(rows: Record<string, number>[]): string[] {
  const [first] = rows
  if (first === undefined) return []
  return [
    describeTable(
      Object.keys(first),
      rows.map((row) => Object.values(row).map(String)),
    ),
  ]
}

function snakeCase(row: Record<string, number>): Record<string, number> {
  const name = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [name(key), value]))
}

import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import { USAGE_GROUPS } from '@mediamill/contract/domain/usage'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { Command } from 'commander'
import { Option } from 'commander'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { describeTable, print, quiet } from '../terminal/output.ts'

type Options = ServiceOptions & {
  by: (typeof USAGE_GROUPS)[number]
  from?: string
  to?: string
  customer?: string
  json?: true
}

export type UsageTotals = Record<string, string | number | null> & {
  requests: number
  succeeded: number
  failed: number
  spent_micro_usd: number
  source_bytes: number
  result_bytes: number
}

export function register(program: Command): void {
  const command = program
    .command('usage')
    .description('Show usage and costs of the last 30 days.')
    .addOption(new Option('--by <group>', 'group rows by').choices(USAGE_GROUPS).default('day'))
    .option('--from <day>', 'first day, such as 2026-11-01')
    .option('--to <day>', 'last day')
    .option('--customer <text>', 'only requests of this customer')
  addServiceOptions(command)
  command
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  mediamill usage --by customer')
    .action(async ({ by, from, to, customer, ...options }: Options) => {
      const { service } = await connect(options)
      const report = await service.usage.retrieve({ group_by: by, from, to, customer })
      print(options.json, report, () =>
        report.data.length === 0
          ? quiet(`No requests from ${report.from} to ${report.to}.`)
          : describeUsage(by, report.data),
      )
    })
}

export function describeUsage(by: string, rows: readonly UsageTotals[]): string {
  return describeTable(
    [by.toUpperCase(), 'REQUESTS', 'SUCCEEDED', 'FAILED', 'SPENT', 'DOWNLOADED', 'MADE'],
    rows.map((row) => [
      keyText(row[by]),
      String(row.requests),
      String(row.succeeded),
      String(row.failed),
      formatDollars(microUsd(row.spent_micro_usd)),
      formatBytes(row.source_bytes),
      formatBytes(row.result_bytes),
    ]),
  )
}

const keyText = (key: unknown) => (typeof key === 'string' ? key : 'none')

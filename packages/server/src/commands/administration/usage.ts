import { print, quiet } from '@mediamill/cli/src/terminal/output'
import type { UsageTotals } from '@mediamill/cli/src/verbs/usage'
import { describeUsage } from '@mediamill/cli/src/verbs/usage'
import type { UsageGroup } from '@mediamill/contract/domain/usage'
import { USAGE_GROUPS } from '@mediamill/contract/domain/usage'
import type { Command } from 'commander'
import { Option } from 'commander'
import { lastDays } from '../../accounts/usage.ts'
import type { UsageRow } from '../../db/accounts/usage.ts'
import { sumUsage } from '../../db/accounts/usage.ts'
import { idArgument, JSON_FLAG, oneAccount, withDatabase } from './administer.ts'

export function register(program: Command): void {
  program
    .command('usage')
    .description('Show the live usage of an account in the last 30 days.')
    .argument('<account>', "the account's id", idArgument)
    .addOption(new Option('--by <group>', 'grouping of the rows').choices(USAGE_GROUPS).default('day'))
    .option('--test', 'show the usage of test keys instead')
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill usage 1001 --by endpoint')
    .action(async (accountId: number, options: { by: UsageGroup; test?: true; json?: true }) => {
      const days = lastDays(new Date())
      const rows = await withDatabase(async (sql) => {
        await oneAccount(sql, accountId)
        const livemode = options.test !== true
        return await sumUsage(sql, { accountId, livemode, ...days, groupBy: options.by, customer: null })
      })
      const data = rows.map((row) => present(options.by, row))
      const report = { account: accountId, ...days, group_by: options.by, data }
      print(options.json, report, () =>
        rows.length === 0 ? quiet(`No requests from ${days.from} to ${days.to}.`) : describeUsage(options.by, data),
      )
    })
}

const present = (group: UsageGroup, row: UsageRow): UsageTotals => ({
  [group]: row.key,
  requests: row.requests,
  succeeded: row.succeeded,
  failed: row.failed,
  spent_micro_usd: row.spent,
  source_bytes: row.sourceBytes,
  result_bytes: row.resultBytes,
})

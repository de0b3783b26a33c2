import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { Account } from '@mediamill/sdk/src/api-types'
import type { Command } from 'commander'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { describeFields, print } from '../terminal/output.ts'

export function register(program: Command): void {
  const command = program.command('account').description("Show your account's credit and the limits of your key.")
  addServiceOptions(command)
  command.option('--json', 'print JSON').action(async (options: ServiceOptions & { json?: true }) => {
    const { service, account: connection } = await connect(options)
    const account = await service.account.retrieve()
    print(options.json, account, () => describeAccount(account, connection.url))
  })
}

export function describeAccount({ limits, ...account }: Account, url: string): string {
  return describeFields([
    ['service', url],
    ['account', `${account.id}, ${account.name}`],
    ['email', account.email],
    ['tier', account.tier],
    ['key', account.livemode ? 'live' : 'test: nothing is charged'],
    ['balance', formatDollars(microUsd(account.balance.micro_usd))],
    ['available', formatDollars(microUsd(account.available.micro_usd))],
    ['limits', `${limits.requests_per_minute} calls a minute, ${limits.concurrent_requests} requests at once`],
    ['largest source', formatBytes(limits.max_source_bytes)],
    ['suspended', account.suspended ? 'yes' : 'no'],
  ])
}

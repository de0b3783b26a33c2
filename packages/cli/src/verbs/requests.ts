import { REQUEST_STATUSES } from '@mediamill/contract/domain/request'
import type { ListRequestsQuery, MediaRequest } from '@mediamill/sdk/src/api-types'
import type { Command } from 'commander'
import { Option } from 'commander'
import { wholeNumber } from '../batch/processing-options.ts'
import { ENDPOINT_NAMES } from '../operations/endpoint-names.ts'
import type { Account, ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { print, quiet, writeOut } from '../terminal/output.ts'
import { describeRequests } from './describe-request.ts'

type Options = ServiceOptions & {
  status?: ListRequestsQuery['status']
  endpoint?: ListRequestsQuery['endpoint']
  customer?: string
  from?: string
  to?: string
  limit: number
  json?: true
}

const PAGE = 100

async function printList(found: readonly MediaRequest[], account: Account): Promise<void> {
  const { readNames } = await import('../remote/journal.ts')
  const names = await readNames(account)
  print(false, found, () =>
    found.length === 0 ? quiet('No requests.') : describeRequests(found, (source) => names.get(source)),
  )
}

export function register(program: Command): void {
  const command = program
    .command('requests')
    .description('List requests, newest first.')
    .addOption(new Option('--status <status>', 'only requests with this status').choices(REQUEST_STATUSES))
    .addOption(new Option('--endpoint <endpoint>', 'only requests of this endpoint').choices(ENDPOINT_NAMES))
    .option('--customer <text>', 'only requests of this customer')
    .option('--from <time>', 'only requests created at or after this time: 2026-11-22, or a time with a zone')
    .option('--to <time>', 'only requests created at or before this time')
    .option('--limit <n>', 'maximum number of requests', wholeNumber, 20)
  addServiceOptions(command)
  command
    .option('--json', 'print one line of JSON per request')
    .addHelpText('after', '\nExample:\n  mediamill requests --status failed --limit 100')
    .action(async ({ limit, ...options }: Options) => {
      const { service, account } = await connect(options)
      const { status, endpoint, customer } = options
      const query = { status, endpoint, customer, created_from: options.from, created_to: options.to }
      const found: MediaRequest[] = []
      for await (const request of service.requests.list({ ...query, limit: Math.min(PAGE, limit) })) {
        if (options.json === true) writeOut(`${JSON.stringify(request)}\n`)
        if (found.push(request) >= limit) break
      }
      if (options.json !== true) await printList(found, account)
    })
}

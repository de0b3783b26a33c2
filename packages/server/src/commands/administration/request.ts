import { describeFields, describeTable, describeTime, print, quiet } from '@mediamill/cli/src/terminal/output'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import type { RequestStatus } from '@mediamill/contract/domain/request'
import { REQUEST_STATUSES } from '@mediamill/contract/domain/request'
import { DAY_MS, spanOf } from '@mediamill/contract/lib/moment'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { audited } from '../../accounts/audit.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { EventRow } from '../../db/events/event-log.ts'
import { findEventOf } from '../../db/events/event-log.ts'
import type { RequestRow } from '../../db/requests.ts'
import { findAnyRequest, listAnyRequests } from '../../db/requests.ts'
import { sendNotifications } from '../../queue/notifications.ts'
import { abort } from '../../requests/abort.ts'
import type { Archived } from '../../requests/cleanup/archive.ts'
import { archive } from '../../requests/cleanup/archive.ts'
import type { Links } from '../../requests/present.ts'
import { present } from '../../requests/present.ts'
import { toRequest } from '../../requests/record.ts'
import { linksOf } from '../../store/link.ts'
import type { Json } from './administer.ts'
import { commandAuthor, countArgument, found, idArgument, JSON_FLAG, oneAccount, withDatabase } from './administer.ts'
import { createArchiveFile } from './archive-file.ts'

export function register(program: Command): void {
  const request = program.command('request').description('List, show, abort, and archive requests of any account.')
  registerList(request)
  registerShow(request)
  registerAbort(request)
  registerArchive(request)
}

function registerList(request: Command): void {
  request
    .command('list')
    .description('List requests with their outcome, newest first.')
    .option('--account <id>', 'only requests of this account', idArgument)
    .addOption(new Option('--status <status>', 'only requests with this status').choices(REQUEST_STATUSES))
    .option('--limit <n>', 'maximum number of requests', countArgument, 50)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill request list --account 1001 --status failed')
    .action(async (options: { account?: number; status?: RequestStatus; limit: number } & Json) => {
      const { account: accountId = null, status = null, limit } = options
      const { rows, links } = await withDatabase(async (sql, config) => {
        if (accountId !== null) await oneAccount(sql, accountId)
        return { rows: await listAnyRequests(sql, { accountId, status, limit }), links: linksOf(config) }
      })
      print(options.json, { requests: rows.map((row) => presentRow(row, links)) }, () =>
        rows.length === 0 ? quiet('There are no such requests.') : describeList(rows),
      )
    })
}

function registerShow(request: Command): void {
  request
    .command('show')
    .description('Show a request: its status, error, price, and event.')
    .argument('<id>', "the request's id", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill request show 54')
    .action(async (id: number, options: Json) => {
      const { row, event, links } = await withDatabase(async (sql, config) => ({
        row: found(await findAnyRequest(sql, id), 'request', id),
        event: await findEventOf(sql, id),
        links: linksOf(config),
      }))
      print(options.json, presentRow(row, links), () => describe(row, event))
    })
}

function registerAbort(request: Command): void {
  request
    .command('abort')
    .description('Abort an unfinished request. It is not charged, and its event is posted.')
    .argument('<id>', "the request's id", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill request abort 54')
    .action(async (id: number, options: Json) => {
      const { row, links } = await withDatabase(async (sql, config) => {
        const { accountId } = found(await findAnyRequest(sql, id), 'request', id)
        const change = { accountId, action: 'request.aborted', subject: `request ${id}` }
        const aborted = await abort(sql, accountId as AccountId, id as RequestId, (finish) =>
          audited(sql, commandAuthor(), change, finish),
        )
        await sendNotifications(sql, ['queue:deliveries'])
        return { row: found(await findAnyRequest(sql, aborted.id), 'request', id), links: linksOf(config) }
      })
      print(options.json, presentRow(row, links), () => `Request ${id} is aborted.`)
    })
}

const PROGRESS_MS = 10_000

/** The minimum age of requests to archive: twice as long as an Idempotency-Key is valid. */
const MIN_AGE_MS = 2 * DAY_MS

function registerArchive(request: Command): void {
  request
    .command('archive')
    .description('Move old finished requests and their events from the database to a file.')
    .requiredOption('--before <date>', 'archive requests that finished before this day (UTC)', dayArgument)
    .requiredOption('--to <file>', 'new file for JSON lines, compressed if its name ends with .gz')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Each line has a request, its event, and its delivery attempts. Requests are deleted once their lines are on disk. The ledger
and daily usage stay. Requests with a file, with a pending delivery, or with the newest event of their account stay too.
The service can run meanwhile. If the command is interrupted, run it again with another file.

Example:
  mediamill request archive --before 2026-06-01 --to /backup/requests-2026-05.jsonl.gz`,
    )
    .action(async ({ before, to, json }: { before: Date; to: string } & Json) => {
      const done = await withDatabase((sql) => archiveTo(sql, before, to))
      print(json, { ...done, file: done.archived === 0 ? null : to }, () => describeArchived(done, to))
    })
}

async function archiveTo(sql: Sql, before: Date, path: string): Promise<Archived & { bytes: number }> {
  const file = await createArchiveFile(path)
  let reportedAt = Date.now()
  const onProgress = ({ archived }: Archived) => {
    if (Date.now() - reportedAt < PROGRESS_MS) return
    reportedAt = Date.now()
    process.stderr.write(`${archived} requests archived\n`)
  }
  const change = { accountId: null, action: 'requests.archived', detail: { before: before.toISOString(), file: path } }
  const write = async (lines: readonly string[]) => {
    const isFirst = file.bytes() === 0
    await file.append(lines)
    // Records the command before the first deletion, so that each deletion has an audit entry.
    if (isFirst) await audited(sql, commandAuthor(), change, async () => true)
  }
  try {
    const done = await archive(sql, { before, write, onProgress })
    return { ...done, bytes: file.bytes() }
  } finally {
    await file.close()
  }
}

function describeArchived({ archived, kept, bytes }: Archived & { bytes: number }, path: string): string {
  const stay = `${kept} older requests stay.`
  return archived === 0
    ? `There are no such requests. ${stay}`
    : `Archived ${archived} requests to ${path} (${bytes} bytes). ${stay}`
}

function dayArgument(text: string): Date {
  const day = text.includes('T') ? undefined : spanOf(text)?.from
  if (day === undefined) throw new InvalidArgumentError('It must be a day such as 2026-06-01.')
  if (Date.now() - day.getTime() >= MIN_AGE_MS) return day
  throw new InvalidArgumentError('It must be at least two days ago.')
}

const presentRow = (row: RequestRow, links: Links): object => ({
  account: row.accountId,
  ...present(toRequest(row), links),
})

const describeList = (rows: RequestRow[]): string =>
  describeTable(
    ['ID', 'ACCOUNT', 'ENDPOINT', 'STATUS', 'PRICE', 'CREATED', 'ERROR'],
    rows.map((row) => [
      String(row.id),
      String(row.accountId),
      row.endpoint,
      row.status,
      formatDollars(microUsd(row.price)),
      describeTime(row.createdAt),
      row.error === null ? '' : `${row.error.code}: ${row.error.message}`,
    ]),
  )

function describe(row: RequestRow, event: EventRow | undefined): string {
  const request = toRequest(row)
  const timings = 'timings' in request ? request.timings : null
  const optional = (name: string, value: string | null | undefined) =>
    value === null || value === undefined ? [] : ([[name, value]] as const)
  return describeFields([
    ['request', String(row.id)],
    ['account', `${row.accountId}${row.livemode ? '' : ', with a test key'}`],
    ['endpoint', row.endpoint],
    ['status', row.status],
    ...optional('code', row.error?.code),
    ...optional('why', row.error?.message),
    ...optional('operation', row.error?.operation === undefined ? null : `operations[${row.error.operation}]`),
    ['source', row.source],
    ['input', JSON.stringify(row.input)],
    ...optional('customer', row.customer),
    ...optional('result', row.data && JSON.stringify(row.data)),
    ['price', formatDollars(microUsd(row.price))],
    ['attempts', String(row.attempt)],
    ['created', describeTime(row.createdAt)],
    ...optional('finished', row.completedAt && describeTime(row.completedAt)),
    ...optional(
      'took',
      timings &&
        `${timings.totalMs} ms: queued ${timings.queuedMs}, download ${timings.downloadMs}, process ${timings.processMs}, store ${timings.storeMs}`,
    ),
    ...optional('event', event && `${event.id}, ${event.status}${event.url === null ? '' : `, to ${event.url}`}`),
  ])
}

import { describeFields, describeTable, describeTime, print, quiet } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import { audited } from '../../accounts/audit.ts'
import type { AttemptedRow, EventRow } from '../../db/events/event-log.ts'
import { findEvent, listAttempts, listEventPage } from '../../db/events/event-log.ts'
import { presentAttempt, presentDelivery } from '../../requests/events/present-delivery.ts'
import { resend } from '../../webhooks/resend.ts'
import type { Json } from './administer.ts'
import { commandAuthor, countArgument, found, idArgument, JSON_FLAG, oneAccount, withDatabase } from './administer.ts'

export function register(program: Command): void {
  const events = program.command('events').description('List, show, and resend webhook events.')
  registerList(events)
  registerShow(events)
  registerResend(events)
}

function registerList(events: Command): void {
  events
    .command('list')
    .description("List an account's events, newest first.")
    .argument('<account>', "the account's id", idArgument)
    .option('--undelivered', 'only events that were abandoned after four attempts')
    .option('--limit <n>', 'maximum number of events', countArgument, 100)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill events list 1001 --undelivered')
    .action(async (accountId: number, options: { undelivered?: true; limit: number } & Json) => {
      const rows = await withDatabase(async (sql) => {
        await oneAccount(sql, accountId)
        const status = options.undelivered === true ? 'undelivered' : null
        const any = { requestId: null, livemode: null, after: null }
        return await listEventPage(sql, { accountId, status, ...any, limit: options.limit })
      })
      print(options.json, { events: rows.map(presentDelivery) }, () =>
        rows.length === 0
          ? quiet('There are no such events.')
          : describeTable(
              ['ID', 'TYPE', 'REQUEST', 'STATUS', 'ATTEMPTS', 'CREATED'],
              rows.map((row) => [
                row.id,
                row.type,
                String(row.requestId),
                row.status,
                String(row.attempts),
                describeTime(row.createdAt),
              ]),
            ),
      )
    })
}

function registerShow(events: Command): void {
  events
    .command('show')
    .description('Show an event: its posted body, and each attempt with the response.')
    .argument('<id>', "the event's id, evt_…")
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill events show evt_0198c1c2a7e34f7f8d1f6a3f5b0c9d21')
    .action(async (id: string, options: Json) => {
      const { event, attempts } = await withDatabase(async (sql) => ({
        event: found(await findEvent(sql, id), 'event', id),
        attempts: await listAttempts(sql, id),
      }))
      const shown = {
        ...presentDelivery(event),
        deliveries: attempts.map(presentAttempt),
        body: event.body === null ? null : (JSON.parse(event.body.toString()) as unknown),
      }
      print(options.json, shown, () =>
        [
          describeEvent(event),
          describeAttempts(attempts),
          ...attempts.flatMap(describeResponse),
          event.body === null ? quiet('Nothing was posted yet.') : printable(event.body),
        ].join('\n\n'),
      )
    })
}

function registerResend(events: Command): void {
  events
    .command('resend')
    .description(
      "Resend an event with the same id and body to its request's webhook_url, or else to the account's current webhook.",
    )
    .argument('<id>', "the event's id, evt_…")
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      '\nA running service posts it at once, up to four times.\n\nExample:\n  mediamill events resend evt_0198c1c2a7e34f7f8d1f6a3f5b0c9d21',
    )
    .action(async (id: string, options: Json) => {
      const change = { accountId: null, action: 'event.resent', subject: id }
      const row = await withDatabase((sql) =>
        audited(sql, commandAuthor(), change, async (tx, complete) => {
          const event = await resend(tx, id)
          complete({ accountId: event.accountId })
          return event
        }),
      )
      print(options.json, presentDelivery(row), () => `Event ${row.id} will be sent to ${row.url} again.`)
    })
}

function describeEvent(row: EventRow): string {
  return describeFields([
    ['event', row.id],
    ['type', row.type],
    ['account', String(row.accountId)],
    ['request', String(row.requestId)],
    ['url', row.url ?? 'none'],
    ['status', row.status],
    ['created', describeTime(row.createdAt)],
    ...(row.dueAt === null ? [] : ([['next attempt', describeTime(row.dueAt)]] as const)),
  ])
}

function describeAttempts(rows: AttemptedRow[]): string {
  return describeTable(
    ['ATTEMPT', 'AT', 'TOOK', 'OUTCOME'],
    rows.map((row) => [
      String(row.number),
      describeTime(row.startedAt),
      `${row.durationMs} ms`,
      row.status === null ? (row.reason ?? '') : `status ${row.status}`,
    ]),
  )
}

function describeResponse(row: AttemptedRow): string[] {
  const text = row.answer === null ? '' : printable(row.answer).trim()
  return text === '' ? [] : [`${quiet(`Response to attempt ${row.number}:`)}\n${text}`]
}

/** Replaces control characters in a receiver's response, so that they do not control the terminal. */
const printable = (bytes: Buffer) => bytes.toString().replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd')

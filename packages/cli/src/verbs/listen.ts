import type { AnyEvent } from '@mediamill/sdk/src/resources/events'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { interrupts } from '../batch/interrupts.ts'
import { findStart } from '../listen/find-start.ts'
import type { Forwarded } from '../listen/forward-event.ts'
import { openListenState } from '../listen/listen-state.ts'
import type { ServiceOptions } from '../remote/connect.ts'
import { accountOf, addServiceOptions, connect } from '../remote/connect.ts'
import { bad, good, quiet, writeOut } from '../terminal/output.ts'
import { InterruptedError } from '../usage-error.ts'

type Options = ServiceOptions & {
  forwardTo?: string
  printSecret?: true
  format: 'text' | 'json'
  after?: string
  resume?: true
}

export function register(program: Command): void {
  const command = program
    .command('listen')
    .description('Stream account events, and forward them to a local webhook receiver.')
    .option('--forward-to <url>', 'post signed events to this URL, such as localhost:3000/webhook', receiverUrl)
    .option('--print-secret', 'print the signing secret, and exit')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('--after <event>', 'start after this event, evt_… (default: start with new events)')
    .option('--resume', 'start after the last event of the previous run')
  addServiceOptions(command)
  command
    .addHelpText(
      'after',
      '\nEach event of the account is forwarded once, even if its request has a webhook_url. Normal deliveries continue.\nAfter a lost connection, missed events are forwarded too. The signing secret belongs to this machine, not to your account. Press\nCtrl-C to stop.\n\nExamples:\n  mediamill listen --forward-to localhost:3000/webhook\n  WEBHOOK_SECRET=$(mediamill listen --print-secret)',
    )
    .action(listen)
}

async function listen(options: Options): Promise<void> {
  const { signal } = interrupts()
  const account = await accountOf(options)
  const state = await openListenState(account)
  const { forwardEvent } = await import('../listen/forward-event.ts')
  if (options.printSecret === true) {
    writeOut(`${state.secret}\n`)
    return
  }
  const { service } = await connect(options)
  const given = options.after ?? (options.resume === true ? state.cursor : undefined)
  const { after, now } = given === undefined ? await findStart(service, signal) : { after: given, now: 0 }
  process.stderr.write(`Streaming the events of ${account.url}. Press Ctrl-C to stop.\n`)
  if (options.forwardTo !== undefined) {
    process.stderr.write(`Forwarding to ${options.forwardTo}, signed with ${state.secret}\n`)
  }
  try {
    for await (const event of service.events.follow({ after, limit: 100 }, { signal })) {
      if (event.created < now) continue
      const to = options.forwardTo
      const forwarded = to === undefined ? undefined : await forwardEvent(event, to, state.secret, signal)
      const text = options.format === 'json' ? JSON.stringify(present(event, forwarded)) : describe(event, forwarded)
      writeOut(`${text}\n`)
      await state.advance(event.id)
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof InterruptedError)) throw error
  }
}

const present = (event: AnyEvent, forwarded: Forwarded | undefined): object =>
  forwarded === undefined
    ? event
    : { ...event, forwarded: { status: forwarded.status, reason: forwarded.reason, duration_ms: forwarded.durationMs } }

function describe(event: AnyEvent, forwarded: Forwarded | undefined): string {
  const time = new Date(event.created * 1000).toTimeString().slice(0, 8)
  const line = `${quiet(time)}  ${event.type.padEnd(17)}  request ${event.data.id}  ${quiet(event.id)}`
  if (forwarded === undefined) return line
  const { status, reason, durationMs } = forwarded
  const isGood = status !== null && status >= 200 && status < 300
  const response = status === null ? (reason ?? '') : `${status} in ${durationMs} ms`
  return `${line}  ${isGood ? good(response) : bad(response)}`
}

function receiverUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`
  if (URL.canParse(url)) return url
  throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/webhook.')
}

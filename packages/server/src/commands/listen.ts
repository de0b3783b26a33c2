import { setTimeout as delay } from 'node:timers/promises'
import { interrupts } from '@mediamill/cli/src/batch/interrupts'
import { bad, describeFields, good, quiet, strong, writeOut } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import { readWebhookSecrets } from '../accounts/webhook-secret.ts'
import { linksOf } from '../store/link.ts'
import { isDelivered } from '../webhooks/deliver.ts'
import type { Forwarded } from '../webhooks/follow.ts'
import { startFollowing } from '../webhooks/follow.ts'
import { idArgument, JSON_FLAG, oneAccount, USES_SECRET_KEY, withDatabase } from './administration/administer.ts'
import type { TypedUrl } from './url-argument.ts'
import { urlArgument } from './url-argument.ts'

const POLL_MS = 250

export function register(program: Command): void {
  program
    .command('listen')
    .description('Post new events of an account to a local URL, signed like deliveries, to develop a receiver.')
    .argument('[account]', "the account's id; optional if there is only one account", idArgument)
    .requiredOption('--forward-to <url>', 'URL to post to, such as http://localhost:3000/webhook', urlArgument)
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      '\nEach event is posted once, with or without a webhook URL. Deliveries to webhooks continue. Ctrl-C stops it.\n\nExample:\n  mediamill listen --forward-to http://localhost:3000/webhook',
    )
    .action(
      async (
        account: number | undefined,
        { forwardTo: { url, onlyItsHost }, ...options }: { forwardTo: TypedUrl; json?: true },
      ) => {
        await withDatabase(async (sql, { secretKey, baseUrl }) => {
          const accountId = await oneAccount(sql, account)
          const { poll } = await startFollowing({
            sql,
            secretKey,
            links: linksOf({ secretKey, baseUrl }),
            accountId,
            url,
            network: { allowedHosts: onlyItsHost },
          })
          const { signal } = interrupts()
          const json = options.json === true
          const [secret] = await readWebhookSecrets(sql, secretKey, accountId)
          write(
            json
              ? { listening: true, account: accountId, forward_to: url, webhook_secret: secret?.secret }
              : `${strong(`Posting events of account ${accountId} to ${url}. Press Ctrl-C to stop.`)}\n${describeFields([['signed with', secret?.secret ?? '']])}`,
          )
          while (!signal.aborted) {
            try {
              for await (const forwarded of poll(signal)) write(json ? present(forwarded) : describe(forwarded))
            } catch (error) {
              if (!signal.aborted) throw error
            }
            await delay(POLL_MS, undefined, { signal }).catch(() => undefined)
          }
        }, USES_SECRET_KEY)
      },
    )
}

function write(line: string | object): void {
  writeOut(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
}

function present({ eventId, type, requestId, outcome }: Forwarded): object {
  return {
    id: eventId,
    type,
    request: requestId,
    status: outcome.ok ? outcome.status : null,
    reason: outcome.ok ? null : outcome.reason,
    duration_ms: outcome.durationMs,
  }
}

function describe({ eventId, type, requestId, outcome }: Forwarded): string {
  const response = outcome.ok ? `${outcome.status} in ${outcome.durationMs} ms` : outcome.reason
  const time = new Date().toTimeString().slice(0, 8)
  return `${quiet(time)}  ${type.padEnd(17)}  request ${requestId}  ${quiet(eventId)}  ${isDelivered(outcome) ? good(response) : bad(response)}`
}

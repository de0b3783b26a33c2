import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { readWebhookSecrets } from '../accounts/webhook-secret.ts'
import { findAccount, listAccounts } from '../db/accounts.ts'
import type { Sql } from '../db/connect.ts'
import { OperatorError } from '../domain/errors.ts'
import { secretKeysOf } from '../domain/secret-key.ts'
import { parseAllowedHosts } from '../sources/allowed-hosts.ts'
import { checkUrlShape } from '../sources/url-shape.ts'
import { deriveLinkKeys } from '../store/link.ts'
import { isDelivered } from '../webhooks/deliver.ts'
import { type Forwarded, startFollowing } from '../webhooks/follow.ts'
import { found, idArgument, JSON_FLAG, withDatabase } from './administer.ts'
import { bad, describeFields, good, quiet, strong } from './output.ts'

/** How often it looks for new events. */
const LOOK_MS = 250

export function register(program: Command): void {
  program
    .command('listen')
    .description(
      'Post the events of an account to a URL of this machine as they happen, signed as deliveries are: for writing and trying a receiver.',
    )
    .argument('[account]', "the account's id; not needed while there is only one", idArgument)
    .requiredOption('--forward-to <url>', 'where to post them, such as http://localhost:3000/webhook')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      '\nEach event is posted once, whether it has a webhook_url or not; what is delivered elsewhere still is. Ctrl-C ends it.\n\nExample:\n  mediamill listen --forward-to http://localhost:3000/webhook',
    )
    .action(async (account: number | undefined, options: { forwardTo: string; json?: true }) => {
      await withDatabase(async (sql, { secretKey, baseUrl }) => {
        const accountId = await accountToFollow(sql, account)
        const { look } = await startFollowing({
          sql,
          secretKey,
          links: { keys: deriveLinkKeys(secretKeysOf(secretKey)), baseUrl },
          accountId,
          url: options.forwardTo,
          network: { allowedHosts: onlyHostOf(options.forwardTo) },
        })
        const told = untilTold()
        const json = options.json === true
        const [secret] = await readWebhookSecrets(sql, secretKey, accountId)
        write(
          json
            ? { listening: true, account: accountId, forward_to: options.forwardTo, webhook_secret: secret?.secret }
            : `${strong(`Events of account ${accountId} go to ${options.forwardTo}. Ctrl-C ends it.`)}\n${describeFields([['signed with', secret?.secret ?? '']])}`,
        )
        while (!told.aborted) {
          try {
            for await (const forwarded of look(told)) write(json ? present(forwarded) : describe(forwarded))
          } catch (error) {
            if (!told.aborted) throw error
          }
          await delay(LOOK_MS, undefined, { signal: told }).catch(() => undefined)
        }
      })
    })
}

async function accountToFollow(sql: Sql, named: number | undefined): Promise<number> {
  if (named !== undefined) return found(await findAccount(sql, named), `account ${named}`).id
  const [only, ...others] = await listAccounts(sql)
  if (others.length > 0) throw new OperatorError('There are several accounts; name one: mediamill account list')
  return found(only, 'account').id
}

/** Exempts the host and port of a URL that the operator typed, and no other. */
function onlyHostOf(text: string): ReadonlySet<string> {
  const url = URL.parse(text)
  const port = url?.port || (url?.protocol === 'https:' ? '443' : '80')
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') {
    const allowed = parseAllowedHosts(`${url.hostname}:${port}`)
    if (checkUrlShape(text, allowed).ok) return allowed
  }
  throw new OperatorError(`${JSON.stringify(text)} is no http or https URL such as http://localhost:3000/webhook.`)
}

/** Ends with the first Ctrl-C or SIGTERM. */
function untilTold(): AbortSignal {
  const told = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => told.abort())
  return told.signal
}

function write(line: string | object): void {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
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
  const answer = outcome.ok ? `${outcome.status} in ${outcome.durationMs} ms` : outcome.reason
  const time = new Date().toTimeString().slice(0, 8)
  return `${quiet(time)}  ${type.padEnd(17)}  request ${requestId}  ${quiet(eventId)}  ${isDelivered(outcome) ? good(answer) : bad(answer)}`
}

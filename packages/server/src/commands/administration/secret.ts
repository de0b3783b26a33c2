import { describeTable, describeTime, print } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import { audited } from '../../accounts/audit.ts'
import { rollOwnSecret } from '../../accounts/console/webhook.ts'
import type { WebhookSecret } from '../../accounts/webhook-secret.ts'
import { OVERLAP_MS, readWebhookSecrets } from '../../accounts/webhook-secret.ts'
import type { Json } from './administer.ts'
import { commandAuthor, found, idArgument, JSON_FLAG, oneAccount, USES_SECRET_KEY, withDatabase } from './administer.ts'

export function register(program: Command): void {
  const secret = program.command('secret').description('Show and roll the webhook secret of an account.')
  secret
    .command('roll')
    .description('Create a new secret. Both secrets sign deliveries for 24 hours.')
    .argument('<account>', "the account's id", idArgument)
    .option('--at-once', 'stop signing with the old secret now, for example after a leak')
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill secret roll 1001')
    .action(async (accountId: number, options: { atOnce?: true } & Json) => {
      const secrets = await withDatabase(async (sql, { secretKey }) => {
        const overlapMs = options.atOnce === true ? 0 : OVERLAP_MS
        const rolled = await rollOwnSecret(sql, secretKey, commandAuthor(), accountId, overlapMs)
        found(rolled, 'account', accountId)
        return await readWebhookSecrets(sql, secretKey, accountId)
      }, USES_SECRET_KEY)
      show(options, accountId, secrets)
    })
  secret
    .command('show')
    .description('Show the current secret, and the previous secret while it still signs.')
    .argument('<account>', "the account's id", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill secret show 1001')
    .action(async (accountId: number, options: Json) => {
      const secrets = await withDatabase(async (sql, { secretKey }) => {
        await oneAccount(sql, accountId)
        const change = { accountId, action: 'webhook_secret.revealed' }
        return await audited(sql, commandAuthor(), change, (tx) => readWebhookSecrets(tx, secretKey, accountId))
      }, USES_SECRET_KEY)
      show(options, accountId, secrets)
    })
}

function show(options: Json, accountId: number, secrets: WebhookSecret[]): void {
  const shown = secrets.map(({ secret, createdAt, expiresAt }) => ({
    secret,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  }))
  print(options.json, { account: accountId, webhook_secret: secrets[0]?.secret, secrets: shown }, () =>
    describeTable(
      ['SECRET', 'CREATED', 'SIGNS UNTIL'],
      secrets.map(({ secret, createdAt, expiresAt }) => [
        secret,
        describeTime(createdAt),
        expiresAt === null ? 'rolled' : describeTime(expiresAt),
      ]),
    ),
  )
}

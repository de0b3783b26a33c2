import { type Command, InvalidArgumentError } from 'commander'
import { createAccount } from '../accounts/create-account.ts'
import {
  type AccountRow,
  findAccount,
  insertPurchase,
  listAccounts,
  updateLimits,
  updateSuspended,
  updateWebhookUrl,
} from '../db/accounts.ts'
import { OperatorError } from '../domain/errors.ts'
import { type MicroUsd, microUsd, parseDollars, toDollars } from '../domain/money.ts'
import { checkUrl } from '../sources/check-url.ts'
import { describeAccount, presentAccount } from './account-text.ts'
import { found, idArgument, JSON_FLAG, textArgument, withDatabase } from './administer.ts'
import { describeFields, describeTable, print, strong } from './output.ts'

type Json = { json?: true }

export function register(program: Command): void {
  const account = program.command('account').description('Open, show and change accounts.')
  registerCreate(account)
  registerRead(account)
  registerSwitches(account)
  registerMoney(account)
  registerLimits(account)
}

function registerCreate(account: Command): void {
  account
    .command('create')
    .description('Open an account with $1.00 of free credit, a live key, a test key and a webhook secret, shown once.')
    .requiredOption('--name <name>', 'whose account it is', textArgument)
    .requiredOption('--email <email>', 'where its owner is reached', emailArgument)
    .option(
      '--credit <dollars>',
      'credit bought at once, such as 25.00; the account is then a paid one',
      dollarsArgument,
    )
    .option(...JSON_FLAG)
    .addHelpText('after', example("account create --name 'Ada Lovelace' --email ada@example.com --credit 25.00"))
    .action(async (options: { name: string; email: string; credit?: MicroUsd } & Json) => {
      const { made, row } = await withDatabase(async (sql, config) => {
        const made = await createAccount(sql, config.secretKey, options)
        return { made, row: found(await findAccount(sql, made.id), `account ${made.id}`) }
      })
      const secrets = { live_key: made.liveKey, test_key: made.testKey, webhook_secret: made.webhookSecret }
      print(options.json === true, { account: presentAccount(row), ...secrets }, () =>
        [
          describeAccount(row),
          '',
          strong('Keep these now: they are not shown again.'),
          describeFields([
            ['live key', made.liveKey],
            ['test key', made.testKey],
            ['webhook secret', made.webhookSecret],
          ]),
        ].join('\n'),
      )
    })
}

function registerRead(account: Command): void {
  account
    .command('list')
    .description('List all accounts, oldest first.')
    .option(...JSON_FLAG)
    .addHelpText('after', example('account list'))
    .action(async (options: Json) => {
      const rows = await withDatabase((sql) => listAccounts(sql))
      print(options.json === true, { accounts: rows.map(presentAccount) }, () =>
        describeTable(
          ['ID', 'NAME', 'EMAIL', 'TIER', 'BALANCE', 'SUSPENDED'],
          rows.map((row) => [
            String(row.id),
            row.name,
            row.email,
            row.tier,
            `$${toDollars(microUsd(row.balance))}`,
            row.suspended ? 'yes' : 'no',
          ]),
        ),
      )
    })
  account
    .command('show')
    .description('Show one account.')
    .argument('<id>', "the account's id", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', example('account show 1001'))
    .action(async (id: number, options: Json) => {
      show(options, id, await withDatabase((sql) => findAccount(sql, id)))
    })
}

function registerSwitches(account: Command): void {
  for (const [name, suspended, description] of [
    ['suspend', true, 'Refuse every call of an account from now on, on every process; its results stay.'],
    ['resume', false, 'Lift the suspension of an account.'],
  ] as const) {
    account
      .command(name)
      .description(description)
      .argument('<id>', "the account's id", idArgument)
      .option(...JSON_FLAG)
      .addHelpText('after', example(`account ${name} 1001`))
      .action(async (id: number, options: Json) => {
        show(options, id, await withDatabase((sql) => updateSuspended(sql, id, suspended)))
      })
  }
  account
    .command('set-webhook')
    .description('Set where finished requests are posted that name no webhook_url of their own.')
    .argument('<id>', "the account's id", idArgument)
    .argument('<url>', "a public http or https URL; '' for none")
    .option(...JSON_FLAG)
    .addHelpText('after', example('account set-webhook 1001 https://example.com/hooks/mediamill'))
    .action(async (id: number, url: string, options: Json) => {
      const row = await withDatabase(async (sql, config) => {
        const verdict = url === '' ? undefined : await checkUrl(url, { allowedHosts: config.allowedPrivateHosts })
        if (verdict?.ok === false) throw new OperatorError(`${verdict.message} (${verdict.code})`)
        return await updateWebhookUrl(sql, id, url === '' ? null : url)
      })
      show(options, id, row)
    })
}

function registerMoney(account: Command): void {
  account
    .command('credit')
    .description('Book a purchase of credit; the account is a paid one from then on.')
    .argument('<id>', "the account's id", idArgument)
    .argument('<dollars>', 'how much, such as 25.00', dollarsArgument)
    .option('--reference <text>', 'what the purchase is known by elsewhere: an invoice, a payment', textArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', example('account credit 1001 25.00 --reference invoice-2026-117'))
    .action(async (id: number, amount: MicroUsd, options: { reference?: string } & Json) => {
      const row = await withDatabase(async (sql) => {
        const row = await insertPurchase(sql, id, amount, options.reference ?? null)
        if (row === undefined && (await findAccount(sql, id)) !== undefined) throw new OperatorError(TOO_RICH)
        return row
      })
      show(options, id, row)
    })
}

const TOO_RICH = `The balance would be more than $${toDollars(microUsd(Number.MAX_SAFE_INTEGER))}, the most that can be kept.`

/** Commander takes `null` for an option that was not given. */
type Limit = number | 'default'
type LimitOptions = { requestsPerMinute?: Limit; concurrent?: Limit; maxSourceBytes?: Limit } & Json

function registerLimits(account: Command): void {
  account
    .command('limits')
    .description("Give an account live limits of its own in place of its tier's; 'default' takes one back.")
    .argument('<id>', "the account's id", idArgument)
    .option('--requests-per-minute <n>', 'calls in any 60 seconds', limitArgument(1_000_000))
    .option('--concurrent <n>', 'requests queued or processing at once', limitArgument(1_000_000))
    .option('--max-source-bytes <n>', 'bytes of the largest source', limitArgument(Number.MAX_SAFE_INTEGER))
    .option(...JSON_FLAG)
    .addHelpText('after', example('account limits 1001 --requests-per-minute 600 --concurrent 50'))
    .action(async (id: number, options: LimitOptions, command: Command) => {
      const own = (limit: Limit | undefined) => (limit === 'default' ? null : limit)
      const limits = {
        requestsPerMinute: own(options.requestsPerMinute),
        concurrentRequests: own(options.concurrent),
        maxSourceBytes: own(options.maxSourceBytes),
      }
      if (Object.values(limits).every((limit) => limit === undefined)) {
        command.error('error: name at least one limit', { exitCode: 2 })
      }
      show(options, id, await withDatabase((sql) => updateLimits(sql, id, limits)))
    })
}

function show(options: Json, id: number, row: AccountRow | undefined): void {
  const account = found(row, `account ${id}`)
  print(options.json === true, { account: presentAccount(account) }, () => describeAccount(account))
}

const example = (command: string) => `\nExample:\n  mediamill ${command}`

function dollarsArgument(text: string): MicroUsd {
  const amount = parseDollars(text)
  if (amount === undefined || amount === 0) {
    throw new InvalidArgumentError(
      'It must be dollars, such as 25.00: above 0, below 1000000000, with at most six decimals.',
    )
  }
  return amount
}

function emailArgument(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new InvalidArgumentError('It must be an address such as ada@example.com.')
  return text
}

function limitArgument(maximum: number): (text: string) => Limit {
  return (text) => {
    if (text === 'default') return text
    const limit = /^\d{1,16}$/.test(text) ? Number(text) : 0
    if (limit >= 1 && limit <= maximum) return limit
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maximum}, or default.`)
  }
}

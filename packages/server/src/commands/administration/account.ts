import { describeFields, describeTable, print, quiet, strong } from '@mediamill/cli/src/terminal/output'
import { readEmailAddress } from '@mediamill/contract/domain/email-address'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { MAX_OWN_LIMITS } from '@mediamill/contract/domain/limits'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd, parseDollars } from '@mediamill/contract/domain/money'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { changeAccount, creditAccount, openAccountFor, setWebhookUrl } from '../../accounts/operate.ts'
import { networkOf } from '../../app/shared-resources.ts'
import type { AccountChange, AccountRow } from '../../db/accounts/accounts.ts'
import { accountsWithEmail, findAccount, listAccounts } from '../../db/accounts/accounts.ts'
import { checkUrl } from '../../outbound/guard/check-url.ts'
import { describeAccount, presentAccount } from '../account-text.ts'
import { urlArgument } from '../url-argument.ts'
import type { Json } from './administer.ts'
import { commandAuthor, found, idArgument, JSON_FLAG, MAKES_SERVICE, textArgument, withDatabase } from './administer.ts'

export function register(program: Command): void {
  const account = program.command('account').description('Create, show, and change accounts.')
  registerCreate(account)
  registerRead(account)
  registerSwitches(account)
  registerMoney(account)
  registerLimits(account)
}

function registerCreate(account: Command): void {
  account
    .command('create')
    .description(
      'Create an account with $1.00 of free credit, two API keys, and a webhook secret. The keys are shown once.',
    )
    .requiredOption('--name <name>', 'name of the account', textArgument)
    .requiredOption('--email <email>', 'email address of the owner', emailArgument)
    .option(
      '--credit <dollars>',
      'initial purchase of credit, such as 25.00; makes the account a paid one',
      dollarsArgument,
    )
    .option(...JSON_FLAG)
    .addHelpText('after', example("account create --name 'Ada Lovelace' --email ada@example.com --credit 25.00"))
    .action(async (options: { name: string; email: string; credit?: MicroUsd } & Json) => {
      const { made, row, others } = await withDatabase(async (sql, config) => {
        const others = await accountsWithEmail(sql, options.email)
        const made = await openAccountFor(sql, config.secretKey, commandAuthor(), options)
        return { made, others, row: found(await findAccount(sql, made.id), 'account', made.id) }
      }, MAKES_SERVICE)
      if (others.length > 0) {
        const some = others.length > 1 ? 'Other accounts have' : 'Another account has'
        process.stderr.write(`mediamill: ${some} this email address: ${others.join(', ')}.\n`)
      }
      const secrets = { live_key: made.liveKey, test_key: made.testKey, webhook_secret: made.webhookSecret }
      print(options.json, { account: presentAccount(row), ...secrets }, () =>
        [
          describeAccount(row),
          '',
          `${strong('Save the keys now. They are not shown again.')} mediamill secret show ${made.id} shows the webhook secret.`,
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
      print(options.json, { accounts: rows.map(presentAccount) }, () =>
        rows.length === 0
          ? quiet('There are no accounts yet. Create one with mediamill account create.')
          : describeList(rows),
      )
    })
  account
    .command('show')
    .description('Show one account.')
    .argument('<id>', "the account's id", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', example('account show 1001'))
    .action(async (id: number, options: Json) => {
      show(options, found(await withDatabase((sql) => findAccount(sql, id)), 'account', id))
    })
}

const describeList = (rows: AccountRow[]): string =>
  describeTable(
    ['ID', 'NAME', 'EMAIL', 'TIER', 'BALANCE', 'SUSPENDED'],
    rows.map((row) => [
      String(row.id),
      row.name,
      row.email,
      row.tier,
      formatDollars(microUsd(row.balance)),
      row.suspended ? 'yes' : 'no',
    ]),
  )

function registerSwitches(account: Command): void {
  for (const [name, suspended, description] of [
    ['suspend', true, 'Suspend an account: reject all of its calls immediately. Its results are kept.'],
    ['resume', false, 'Allow the calls of a suspended account again.'],
  ] as const) {
    account
      .command(name)
      .description(description)
      .argument('<id>', "the account's id", idArgument)
      .option(...JSON_FLAG)
      .addHelpText('after', example(`account ${name} 1001`))
      .action((id: number, options: Json) => change(id, { suspended }, options))
  }
  account
    .command('set-webhook')
    .description('Set the default webhook URL of an account.')
    .argument('<id>', "the account's id", idArgument)
    .argument('<url>', "a public http or https URL; '' to remove it", webhookArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', example('account set-webhook 1001 https://example.com/hooks/mediamill'))
    .action(async (id: number, url: string | null, options: Json) => {
      const row = await withDatabase(async (sql, config) => {
        const verdict = url === null ? ({ ok: true } as const) : await checkUrl(url, networkOf(config))
        if (!verdict.ok) {
          const nextStep =
            verdict.code === 'url_unresolvable' ? '' : ' To allow a private host, add it to ALLOWED_PRIVATE_HOSTS.'
          throw new OperatorError(`${url}: ${verdict.message} (${verdict.code})${nextStep}`)
        }
        return found(await setWebhookUrl(sql, commandAuthor(), id, url), 'account', id)
      })
      show(options, row)
    })
  account
    .command('weight')
    .description('Set the share of an account in the queue, compared with waiting accounts of weight 1.')
    .argument('<id>', "the account's id", idArgument)
    .argument('<weight>', 'a number from 0.01 to 100; 1 is the default', weightArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', example('account weight 1001 3'))
    .action((id: number, weight: number, options: Json) => change(id, { weight }, options))
  account
    .command('rename')
    .description('Rename an account.')
    .argument('<id>', "the account's id", idArgument)
    .argument('<name>', 'new name', textArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', example("account rename 1001 'Ada Lovelace Ltd'"))
    .action((id: number, name: string, options: Json) => change(id, { name }, options))
}

function registerMoney(account: Command): void {
  account
    .command('credit')
    .description('Book a purchase of credit, which makes the account a paid one. Each reference is booked once.')
    .argument('<id>', "the account's id", idArgument)
    .argument('<dollars>', 'amount, such as 25.00', dollarsArgument)
    .option('--reference <text>', 'external reference of the purchase, such as an invoice number', textArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', example('account credit 1001 25.00 --reference invoice-2026-117'))
    .action(async (id: number, amount: MicroUsd, options: { reference?: string } & Json) => {
      const { reference = null } = options
      const { account: row, isBooked } = await withDatabase((sql) =>
        creditAccount(sql, commandAuthor(), id, amount, reference),
      )
      print(options.json, { account: presentAccount(row), booked: isBooked }, () =>
        isBooked
          ? describeAccount(row)
          : `${describeAccount(row)}\n\nThe reference ${reference} was booked already, so nothing changed.`,
      )
    })
}

/** A limit, or `default` for the tier's limit: Commander would replace `null` with an empty text. */
type Limit = number | 'default'
type LimitOptions = { requestsPerMinute?: Limit; concurrent?: Limit; maxSourceBytes?: Limit } & Json

function registerLimits(account: Command): void {
  account
    .command('limits')
    .description("Set live limits of an account. 'default' restores the limit of its tier.")
    .argument('<id>', "the account's id", idArgument)
    .option('--requests-per-minute <n>', 'calls in any 60 seconds', limitArgument(MAX_OWN_LIMITS.requestsPerMinute))
    .option(
      '--concurrent <n>',
      'requests queued or processing at once',
      limitArgument(MAX_OWN_LIMITS.concurrentRequests),
    )
    .option('--max-source-bytes <n>', 'bytes of the largest source', limitArgument(MAX_OWN_LIMITS.maxSourceBytes))
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
        command.error('error: set at least one limit', { exitCode: 2 })
      }
      await change(id, { limits }, options)
    })
}

async function change(id: number, changes: AccountChange, options: Json): Promise<void> {
  const row = await withDatabase((sql) => changeAccount(sql, commandAuthor(), id, changes))
  show(options, found(row, 'account', id))
}

function show(options: Json, account: AccountRow): void {
  print(options.json, { account: presentAccount(account) }, () => describeAccount(account))
}

const example = (command: string) => `\nExample:\n  mediamill ${command}`

function dollarsArgument(text: string): MicroUsd {
  const amount = parseDollars(text)
  if (amount === undefined || amount === 0) {
    throw new InvalidArgumentError(
      'It must be an amount in dollars, such as 25.00: above 0, below 1000000000, with at most six decimals.',
    )
  }
  return amount
}

function weightArgument(text: string): number {
  const weight = /^\d{1,3}(?:\.\d{1,2})?$/.test(text) ? Number(text) : 0
  if (weight < 0.01 || weight > 100)
    throw new InvalidArgumentError('It must be a number from 0.01 to 100, with at most two decimals.')
  return weight
}

const webhookArgument = (text: string) => (text === '' ? null : urlArgument(text).url)

function emailArgument(text: string): string {
  if (readEmailAddress(text) === undefined)
    throw new InvalidArgumentError('It must be an address such as ada@example.com.')
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

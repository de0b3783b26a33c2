import { describeTable, describeTime, good, print, quiet } from '@mediamill/cli/src/terminal/output'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { MicroUsd } from '@mediamill/contract/domain/money'
import { formatDollars, microUsd, parseDollars, toMoney } from '@mediamill/contract/domain/money'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { verifyLedger } from '../../accounts/ledger-audit.ts'
import { adjustAccount } from '../../accounts/operate.ts'
import type { LedgerRow } from '../../db/accounts/ledger.ts'
import { listMovements } from '../../db/accounts/ledger.ts'
import type { StripeAddress } from '../../outbound/stripe.ts'
import { describeAccount, presentAccount } from '../account-text.ts'
import type { Json } from './administer.ts'
import {
  commandAuthor,
  countArgument,
  idArgument,
  JSON_FLAG,
  oneAccount,
  textArgument,
  withDatabase,
} from './administer.ts'
import { registerReconcile } from './reconcile.ts'

type Cell = string | number | null

export function register(program: Command): void {
  registerLedger(program)
}

export function registerLedger(program: Command, stripeAt?: StripeAddress): void {
  const ledger = program.command('ledger').description('List, correct, verify, and reconcile the ledger.')
  registerList(ledger)
  registerAdjust(ledger)
  registerVerify(ledger)
  registerReconcile(ledger, stripeAt)
}

function registerList(ledger: Command): void {
  ledger
    .command('list')
    .description('List the ledger entries of an account, newest first.')
    .argument('<account>', "the account's id", idArgument)
    .option('--limit <n>', 'maximum number of entries', countArgument, 100)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill ledger list 1001')
    .action(async (accountId: number, options: { limit: number } & Json) => {
      const rows = await withDatabase(async (sql) => {
        await oneAccount(sql, accountId)
        return await listMovements(sql, { accountId, before: null, limit: options.limit })
      })
      print(options.json, { entries: rows.map(presentEntry) }, () =>
        rows.length === 0
          ? quiet('The ledger has no entries yet.')
          : describeTable(
              ['ID', 'WHEN', 'KIND', 'AMOUNT', 'UNITS', 'REQUEST', 'REFERENCE'],
              rows.map((row) => [
                String(row.id),
                describeTime(row.createdAt),
                row.kind,
                formatDollars(microUsd(row.amount)),
                row.units === null ? '' : String(row.units),
                row.requestId === null ? '' : String(row.requestId),
                row.reference ?? '',
              ]),
            ),
      )
    })
}

function registerAdjust(ledger: Command): void {
  ledger
    .command('adjust')
    .description('Correct a balance by a positive or negative amount. The reason stays in the ledger.')
    .argument('<account>', "the account's id", idArgument)
    .argument('<dollars>', 'amount, such as 5.00 or -9975.00', signedDollarsArgument)
    .requiredOption('--reason <text>', 'reason, which stays in the ledger', textArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', "\nExample:\n  mediamill ledger adjust 1001 -9975.00 --reason 'typed 10000.00 for 25.00'")
    .action(async (accountId: number, amount: MicroUsd, options: { reason: string } & Json) => {
      const account = await withDatabase((sql) =>
        adjustAccount(sql, commandAuthor(), accountId, amount, options.reason),
      )
      print(options.json, { account: presentAccount(account) }, () => describeAccount(account))
    })
}

function registerVerify(ledger: Command): void {
  ledger
    .command('verify')
    .description('Recompute every balance from the ledger, and every hold and charge from the requests.')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      '\nExits with 1 and prints the rows on any difference.\n\nExample:\n  mediamill ledger verify',
    )
    .action(async (options: Json) => {
      const found = await withDatabase(verifyLedger)
      const lists = Object.fromEntries(
        Object.entries(found).map(([name, rows]) => [snakeName(name), rows.map(snakeCase)]),
      )
      const agrees = Object.values(found).every((rows) => rows.length === 0)
      print(options.json, { ok: agrees, ...lists }, () =>
        agrees
          ? good(
              'The ledger is correct: every balance matches its entries, and every hold and charge matches its requests.',
            )
          : Object.values(lists).flatMap(table).join('\n\n'),
      )
      if (agrees) return
      throw new OperatorError('The ledger is not correct: see the rows above.')
    })
}

function signedDollarsArgument(text: string): MicroUsd {
  const [, sign, digits = ''] = /^([+-]?)(.*)$/.exec(text) ?? []
  const amount = parseDollars(digits)
  if (amount !== undefined && amount !== 0) return sign === '-' ? microUsd(0 - amount) : amount
  throw new InvalidArgumentError('It must be dollars, such as 5.00 or -9975.00: not 0, with at most six decimals.')
}

const presentEntry = (row: LedgerRow): object => ({
  id: row.id,
  kind: row.kind,
  amount: toMoney(microUsd(row.amount)),
  units: row.units,
  request: row.requestId,
  reference: row.reference,
  created_at: row.createdAt.toISOString(),
})

function table(rows: Record<string, Cell>[]): string[] {
  const [first] = rows
  if (first === undefined) return []
  return [
    describeTable(
      Object.keys(first),
      rows.map((row) => Object.values(row).map(String)),
    ),
  ]
}

function snakeCase(row: Record<string, Cell>): Record<string, Cell> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [snakeName(key), value]))
}

const snakeName = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

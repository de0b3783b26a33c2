import { describeFields, describeTable, describeTime, print, strong } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import { Option } from 'commander'
import { audited } from '../../accounts/audit.ts'
import { createKey } from '../../accounts/create-key.ts'
import type { Mode } from '../../accounts/key.ts'
import { KEY_PREFIXES } from '../../accounts/key.ts'
import { findAccount } from '../../db/accounts/accounts.ts'
import type { KeyRow } from '../../db/accounts/keys.ts'
import { listKeys, revokeKey } from '../../db/accounts/keys.ts'
import { commandAuthor, found, idArgument, JSON_FLAG, textArgument, withDatabase } from './administer.ts'

type Json = { json?: true }

export function register(program: Command): void {
  const key = program.command('key').description('Create, list, and revoke the keys of an account.')
  registerCreate(key)
  registerList(key)
  registerRevoke(key)
}

function registerCreate(key: Command): void {
  key
    .command('create')
    .description('Create a key. It is shown once.')
    .argument('<account>', "the account's id", idArgument)
    .addOption(new Option('--mode <mode>', 'mode of its requests').choices(['live', 'test']).makeOptionMandatory())
    .requiredOption('--name <name>', 'purpose of the key', textArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill key create 1001 --mode live --name website')
    .action(async (accountId: number, options: { mode: Mode; name: string } & Json) => {
      const { mode, name } = options
      const change = { accountId, action: 'key.created', detail: { mode, name } }
      const made = await withDatabase((sql) =>
        audited(sql, commandAuthor(), change, async (tx, complete) => {
          const created = await createKey(tx, accountId, { mode, name })
          if (created !== undefined) complete({ subject: String(created.row.id) })
          return created
        }),
      )
      const { row, key: text } = found(made, `account ${accountId}`)
      print(options.json === true, { id: row.id, name: row.name, mode: options.mode, key: text }, () =>
        [
          describeFields([
            ['key id', String(row.id)],
            ['name', row.name],
            ['mode', options.mode],
            ['key', text],
          ]),
          strong('Save the key now. It is not shown again.'),
        ].join('\n'),
      )
    })
}

function registerList(key: Command): void {
  key
    .command('list')
    .description("List an account's keys, oldest first, including revoked keys.")
    .argument('<account>', "the account's id", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill key list 1001')
    .action(async (accountId: number, options: Json) => {
      const rows = await withDatabase(async (sql) => {
        found(await findAccount(sql, accountId), `account ${accountId}`)
        return await listKeys(sql, accountId)
      })
      print(options.json === true, { keys: rows.map(presentKey) }, () =>
        describeTable(
          ['ID', 'NAME', 'KEY', 'CREATED', 'LAST USED', 'REVOKED'],
          rows.map((row) => [
            String(row.id),
            row.name,
            `${prefixOf(row)}…${row.lastFour}`,
            describeTime(row.createdAt),
            row.lastUsedOn ?? 'never',
            row.revokedAt === null ? 'no' : describeTime(row.revokedAt),
          ]),
        ),
      )
    })
}

function registerRevoke(key: Command): void {
  key
    .command('revoke')
    .description('Revoke a key permanently. Every process rejects the next call with it.')
    .argument('<key-id>', "the key's id from key list", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill key revoke 3')
    .action(async (id: number, options: Json) => {
      const change = { accountId: null, action: 'key.revoked', subject: String(id) }
      const revoked = await withDatabase((sql) =>
        audited(sql, commandAuthor(), change, async (tx, complete) => {
          const key = await revokeKey(tx, id)
          if (key !== undefined) complete({ accountId: key.accountId, detail: { name: key.name } })
          return key
        }),
      )
      const row = found(revoked, `key ${id}`)
      print(options.json === true, presentKey(row), () => `Key ${row.id} (${row.name}) is revoked.`)
    })
}

function presentKey(row: KeyRow): object {
  return {
    id: row.id,
    account: row.accountId,
    name: row.name,
    mode: modeOf(row),
    prefix: prefixOf(row),
    last_four: row.lastFour,
    created_at: row.createdAt.toISOString(),
    last_used_on: row.lastUsedOn,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  }
}

const modeOf = (row: KeyRow): Mode => (row.livemode ? 'live' : 'test')
const prefixOf = (row: KeyRow) => KEY_PREFIXES[modeOf(row)]

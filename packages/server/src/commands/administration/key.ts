import { describeFields, describeTable, describeTime, print, strong } from '@mediamill/cli/src/terminal/output'
import { keyRestrictions, restrictionsOf } from '@mediamill/contract/console/key-restrictions'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { KeyRestrictions } from '@mediamill/contract/domain/key-restrictions'
import { parseBody } from '@mediamill/contract/endpoints/validation'
import type { Command } from 'commander'
import { Option } from 'commander'
import { makeOwnKey, revokeKeyOf } from '../../accounts/console/keys.ts'
import type { Mode } from '../../accounts/key.ts'
import { KEY_PREFIXES } from '../../accounts/key.ts'
import type { KeyRow } from '../../db/accounts/keys.ts'
import { listKeys } from '../../db/accounts/keys.ts'
import type { Json } from './administer.ts'
import {
  commandAuthor,
  found,
  idArgument,
  JSON_FLAG,
  momentArgument,
  oneAccount,
  textArgument,
  withDatabase,
} from './administer.ts'

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
    .option('--endpoint <name>', 'allow only this endpoint, such as images/process or uploads (repeatable)', collect)
    .option('--templates-only', 'allow only requests that run a template')
    .option('--template <name>', 'allow only requests that run this template (repeatable)', collect)
    .option('--mode-only', 'allow only requests of its own mode')
    .option('--create-only', 'allow creating requests, but not reading them later')
    .option('--origin <origin>', 'allow only pages of this origin (repeatable)', collect)
    .option('--address <address>', 'allow only this client address or CIDR block (repeatable)', collect)
    .option('--daily-spend <dollars>', 'limit the spend per UTC day')
    .option('--expires <time>', 'expire at this date or time', momentArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill key create 1001 --mode live --name website')
    .action(async (accountId: number, options: CreateOptions, command: Command) => {
      const { mode, name } = options
      const restrictions = restrictionsIn(options, command)
      const made = await withDatabase((sql) =>
        makeOwnKey(sql, commandAuthor(), accountId, { mode, name, restrictions }),
      )
      const { row, key: text } = found(made, 'account', accountId)
      const shown = { id: row.id, name: row.name, mode: options.mode, key: text, ...withRestrictions(row) }
      print(options.json, shown, () =>
        [
          describeFields([
            ['key id', String(row.id)],
            ['name', row.name],
            ['mode', options.mode],
            ...(row.restrictions === null ? [] : [['restrictions', describeRestrictions(row.restrictions)] as const]),
            ['key', text],
          ]),
          strong('Save the key now. It is not shown again.'),
        ].join('\n'),
      )
    })
}

type CreateOptions = Json & {
  mode: Mode
  name: string
  endpoint?: string[]
  templatesOnly?: true
  template?: string[]
  modeOnly?: true
  createOnly?: true
  origin?: string[]
  address?: string[]
  dailySpend?: string
  expires?: string
}

const collect = (value: string, earlier: string[] = []) => [...earlier, value]

function restrictionsIn(options: CreateOptions, command: Command): KeyRestrictions | undefined {
  const { endpoint, templatesOnly, template, modeOnly, createOnly, origin, address, dailySpend, expires } = options
  const given = {
    endpoints: endpoint,
    templates_only: template ?? templatesOnly,
    mode_only: modeOnly,
    create_only: createOnly,
    origins: origin,
    addresses: address,
    daily_spend: dailySpend,
    expires_at: expires,
  }
  try {
    return restrictionsOf(parseBody({ name: 'key create', schema: keyRestrictions }, restrictionsOf(given) ?? {}))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return command.error(`error: ${error.message}`, { exitCode: 2 })
  }
}

const withRestrictions = ({ restrictions }: KeyRow) => (restrictions === null ? {} : { restrictions })

const describeRestrictions = (restrictions: KeyRestrictions): string =>
  Object.entries(restrictions)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join('; ')

function registerList(key: Command): void {
  key
    .command('list')
    .description("List an account's keys, oldest first, including revoked keys.")
    .argument('<account>', "the account's id", idArgument)
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill key list 1001')
    .action(async (accountId: number, options: Json) => {
      const rows = await withDatabase(async (sql) => {
        await oneAccount(sql, accountId)
        return await listKeys(sql, accountId)
      })
      print(options.json, { keys: rows.map(presentKey) }, () =>
        describeTable(
          ['ID', 'NAME', 'KEY', 'CREATED', 'LAST USED', 'REVOKED', 'RESTRICTIONS'],
          rows.map((row) => [
            String(row.id),
            row.name,
            `${prefixOf(row)}…${row.lastFour}`,
            describeTime(row.createdAt),
            row.lastUsedOn ?? 'never',
            row.revokedAt === null ? 'no' : describeTime(row.revokedAt),
            row.restrictions === null ? 'none' : describeRestrictions(row.restrictions),
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
      const revoked = await withDatabase((sql) => revokeKeyOf(sql, commandAuthor(), null, id))
      const row = found(revoked, 'key', id)
      print(options.json, presentKey(row), () => `Key ${row.id} (${row.name}) is revoked.`)
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
    ...withRestrictions(row),
  }
}

const modeOf = (row: KeyRow): Mode => (row.livemode ? 'live' : 'test')
const prefixOf = (row: KeyRow) => KEY_PREFIXES[modeOf(row)]

import { hostname, userInfo } from 'node:os'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { parseId } from '@mediamill/contract/domain/ids'
import { InvalidArgumentError } from 'commander'
import type { Author } from '../../accounts/audit.ts'
import type { ServiceConfig } from '../../app/installation.ts'
import { readConfig } from '../../config/config.ts'
import type { Sql } from '../../db/connection/connect.ts'

export const JSON_FLAG = ['--json', 'print JSON'] as const

export type Json = { json?: true }

const TIMEOUT_MS = 10_000

type DatabaseUse = { makesService?: boolean; usesSecretKey?: boolean }

/** For a command that may run before the service's first start. The command then creates the database and the key. */
export const MAKES_SERVICE: DatabaseUse = { makesService: true, usesSecretKey: true }

/** For a command that encrypts or decrypts. It fails if SECRET_KEY does not match the database. */
export const USES_SECRET_KEY: DatabaseUse = { usesSecretKey: true }

/** Runs `work` with the database. Throws `OperatorError` if no service exists, unless `makesService` is set. */
export async function withDatabase<Result>(
  work: (sql: Sql, config: ServiceConfig) => Promise<Result>,
  { makesService = false, usesSecretKey = false }: DatabaseUse = {},
): Promise<Result> {
  const [{ isInstalled, openInstallation }, { checkSecretKey, prepareDatabase }, { connect }] = await Promise.all([
    import('../../app/installation.ts'),
    import('../../app/database.ts'),
    import('../../db/connection/connect.ts'),
  ])
  const settings = readConfig()
  if (!makesService && !(await isInstalled(settings))) {
    throw new OperatorError(
      `No service has been started in ${settings.dataDir}: run mediamill serve there once, or set DATA_DIR or DATABASE_URL like the service.`,
    )
  }
  const report = (line: string) => void process.stderr.write(`${line}\n`)
  await using installation = await openInstallation(settings, report)
  const waiting = { timeoutMs: TIMEOUT_MS, onWait: report }
  const config = await prepareDatabase(installation.config, waiting)
  if (usesSecretKey) await checkSecretKey(config, waiting)
  await using sql = connect(config.databaseUrl, { connections: 2, applicationName: 'mediamill command' })
  return await work(sql, config)
}

export function commandAuthor(): Author {
  return { actor: 'command', sessionId: null, name: `${userName()}@${hostname()}` }
}

/** Returns the name of the system user, or the user's number, because users of containers often have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

export function idArgument(text: string): number {
  const id = parseId(text)
  if (id === undefined) throw new InvalidArgumentError('It must be a whole number such as 1001.')
  return id
}

/** Parses a text argument. Rejects empty text and control characters, which could add lines to a log. */
export function textArgument(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  if (/\p{Cc}/u.test(text))
    throw new InvalidArgumentError('It must not contain line breaks or other control characters.')
  return text
}

export function countArgument(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > 100_000) throw new InvalidArgumentError('It must be a whole number from 1 to 100000.')
  return count
}

export function momentArgument(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be a date or time such as 2027-01-31.')
  return time.toISOString()
}

const LISTS = {
  account: 'account list',
  event: 'events list ACCOUNT',
  key: 'key list ACCOUNT',
  request: 'request list',
} as const

export function found<Row>(row: Row | undefined, kind: keyof typeof LISTS, id: string | number): Row {
  if (row !== undefined) return row
  throw new OperatorError(`There is no ${kind} ${id}. To list the ${kind}s, run mediamill ${LISTS[kind]}.`)
}

/** Returns `named` if this account exists. Without `named`, returns the id of the only account. Otherwise, throws. */
export async function oneAccount(sql: Sql, named: number | undefined): Promise<number> {
  const { findAccount, listAccounts } = await import('../../db/accounts/accounts.ts')
  if (named !== undefined) return found(await findAccount(sql, named), 'account', named).id
  const [only, ...others] = await listAccounts(sql)
  if (others.length > 0)
    throw new OperatorError('There are several accounts. Pass an account id from mediamill account list.')
  if (only === undefined)
    throw new OperatorError('There are no accounts yet. Create one with mediamill account create.')
  return only.id
}

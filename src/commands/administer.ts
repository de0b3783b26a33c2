import { InvalidArgumentError } from 'commander'
import type { HomeConfig } from '../app/home.ts'
import { readConfig } from '../config.ts'
import type { Sql } from '../db/connect.ts'
import { OperatorError } from '../domain/errors.ts'
import { parseId } from '../domain/ids.ts'

/** Every command of administration takes it. */
export const JSON_FLAG = ['--json', 'print JSON, for programs'] as const

/** Someone sits and waits for a command, other than for a service that starts with its database. */
const PATIENCE_MS = 10_000

/** Does something with the service's database: beside a running service, or alone, and then it is started meanwhile. */
export async function withDatabase<Result>(work: (sql: Sql, config: HomeConfig) => Promise<Result>): Promise<Result> {
  const [{ openHome }, { prepareDatabase }, { connect }] = await Promise.all([
    import('../app/home.ts'),
    import('../app/database.ts'),
    import('../db/connect.ts'),
  ])
  await using home = await openHome(readConfig(), (line) => void process.stderr.write(`${line}\n`))
  const config = await prepareDatabase(home.config, { patienceMs: PATIENCE_MS })
  const sql = connect(config.databaseUrl, { connections: 1, applicationName: 'mediamill command' })
  try {
    return await work(sql, config)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** An id of an account or a key, as an argument. */
export function idArgument(text: string): number {
  const id = parseId(text)
  if (id === undefined) throw new InvalidArgumentError('It must be a whole number such as 1001.')
  return id
}

/** A text that is not empty and stays on its line wherever it is shown, as an argument. */
export function textArgument(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError('It must not hold line breaks or other control characters.')
  return text
}

/** What a statement found; throws when it found nothing. */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw new OperatorError(`There is no ${what}.`)
  return row
}

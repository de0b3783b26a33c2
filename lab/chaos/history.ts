import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { fill } from '../bench/rows-fill.ts'
import type { Received } from '../support/receiver.ts'
import type { GuaranteeResult } from './guarantees.ts'

export type History = {
  rows: number
  /** The folder in which a filled database stays, so that a later trial can use a copy. */
  folder?: string | undefined
  say: (line: string) => void
}

/** Fills the database with finished requests. If the folder already contains a filled database, uses it unchanged. */
export async function openHistory(
  databaseUrl: string,
  dataDir: string,
  { rows, say }: History,
  create: () => Promise<NewAccount[]>,
): Promise<NewAccount[]> {
  const file = join(dataDir, 'accounts.json')
  const accounts = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as NewAccount[]) : await create()
  await writeFile(file, JSON.stringify(accounts))
  const ids = accounts.map(({ id }) => id)
  await fill(databaseUrl, ids, rows, { say, hasTime: () => true })
  return accounts
}

/** Sets delivered events to pending, as if the receiver had failed. Skips requests with ids up to `newest`. */
export async function holdDeliveries(sql: Sql, newest: number): Promise<string[]> {
  const held = await sql<{ id: string }[]>`
    update events set status = 'pending', lease = lease + 1, due_at = now() + interval '1 day'
    where request_id > ${newest} and status = 'delivered' returning id`
  return held.map(({ id }) => id)
}

export async function releaseDeliveries(sql: Sql, held: readonly string[]): Promise<void> {
  await sql`update events set due_at = now() where id = any(${[...held]}::text[]) and status = 'pending'`
}

export function checkHistory(
  before: HistorySums,
  after: HistorySums,
  held: readonly string[],
  received: readonly Received[],
): GuaranteeResult[] {
  const posts = new Set(received.map(({ headers }) => String(headers['service-event-id'])))
  return [
    {
      guarantee: 'every delivery that was pending during the upgrade was made',
      violations: held.filter((id) => !posts.has(id)),
    },
    {
      guarantee: 'requests, charges, and events from before the upgrade are unchanged',
      violations: isDeepStrictEqual(after, before) ? [] : [JSON.stringify({ before, after })],
    },
  ]
}

type HistorySums = { requests: number; prices: number; charges: number; charged: number; events: number }

/** Computes sums over the rows of all requests up to the id `newest`. */
export async function sumHistory(sql: Sql, newest: number): Promise<HistorySums> {
  return await sql.begin(async (tx) => {
    const [requests] = await tx<{ requests: number; prices: number }[]>`
      select count(*) as requests, sum(price)::bigint as prices from requests where id <= ${newest}`
    const [charges] = await tx<{ charges: number; charged: number }[]>`
      select count(*) as charges, -sum(amount)::bigint as charged from ledger where request_id <= ${newest}`
    const [events] = await tx<{ events: number }[]>`select count(*) as events from events where request_id <= ${newest}`
    return { requests: 0, prices: 0, charges: 0, charged: 0, events: 0, ...requests, ...charges, ...events }
  })
}

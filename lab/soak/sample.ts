import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { commandOf, descendants, pssMbOf } from '../support/processes.ts'

export type Sample = { atMs: number; values: Record<string, number> }

const MB = 1024 * 1024

export async function takeSample(atMs: number, sql: Sql, dataDir: string): Promise<Sample> {
  const uploads = await keptUploads(sql)
  return { atMs, values: { ...(await processes()), ...folders(dataDir, uploads), ...(await database(sql)) } }
}

async function processes(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const pid of await descendants()) {
    const role = roleOf(commandOf(pid))
    if (role === undefined) continue
    try {
      add(sums, `file descriptors of ${role}`, readdirSync(`/proc/${pid}/fd`).length)
      add(sums, `memory of ${role}, MB`, pssMbOf(pid))
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return sums
}

function roleOf(command: string): string | undefined {
  const engine = /engines\/(?:src\/)?(\w+)\/main/.exec(command)?.[1]
  if (engine !== undefined) return /\bnode\b[^ ]* /.test(command) ? `${engine} engines` : undefined
  return /main\.ts (api|worker)\b/.exec(command)?.[1]
}

function add(sums: Record<string, number>, name: string, value: number): void {
  sums[name] = (sums[name] ?? 0) + value
}

/** Returns the size and number of uploads, which `folders` subtracts: they stay in the results folder for a day. */
async function keptUploads(sql: Sql): Promise<{ bytes: number; files: number }> {
  const [row] = await sql<{ bytes: number; files: number }[]>`
    select count(*)::integer as files, coalesce(sum(size), 0)::float8 as bytes from upload_parts where size is not null`
  return row ?? { bytes: 0, files: 0 }
}

function folders(dataDir: string, uploads: { bytes: number; files: number }): Record<string, number> {
  const scratch = weigh(join(dataDir, 'scratch'))
  const results = weigh(join(dataDir, 'results'))
  return {
    'scratch, MB': scratch.bytes / MB,
    'scratch files': scratch.files,
    'stored results, MB': (results.bytes - uploads.bytes) / MB,
    'stored results, files': results.files - uploads.files,
  }
}

function weigh(folder: string): { bytes: number; files: number } {
  const sum = { bytes: 0, files: 0 }
  let entries: string[] = []
  try {
    entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return sum
  }
  for (const entry of entries) {
    try {
      const found = statSync(join(folder, entry))
      if (!found.isFile()) continue
      sum.files += 1
      sum.bytes += found.size
    } catch {
      // The file was deleted after the folder was listed.
    }
  }
  return sum
}

/** The tables whose rows are kept forever. For these tables, the report checks the size per row. */
const RECORDS = new Set([
  'requests',
  'events',
  'ledger',
  'request_metadata',
  'deliveries',
  'delivery_attempts',
  'idempotency_keys',
  'uploads',
  'upload_parts',
])

async function database(sql: Sql): Promise<Record<string, number>> {
  const values: Record<string, number> = {}
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity where datname = current_database()`
  values['connections'] = count
  const tables = await sql<{ name: string; table: number; indexes: number; rows: number }[]>`
    select relname as name, pg_table_size(relid)::float8 as table, pg_indexes_size(relid)::float8 as indexes,
      greatest(n_live_tup, 0)::float8 as rows
    from pg_stat_user_tables`
  for (const { name, table, indexes, rows } of tables) {
    if (!RECORDS.has(name)) {
      add(values, 'other tables, MB', table / MB)
      add(values, 'indexes of other tables, MB', indexes / MB)
    } else if (rows >= 500) {
      values[`bytes per row of ${name}`] = table / rows
      values[`index bytes per row of ${name}`] = indexes / rows
    }
  }
  return values
}

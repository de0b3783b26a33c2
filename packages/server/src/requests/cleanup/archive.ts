import { OperatorError } from '@mediamill/contract/domain/errors'
import type { ArchivableRow } from '../../db/archive.ts'
import { checkArchiveLock, deleteArchived, readArchivable, tryArchiveLock } from '../../db/archive.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { pairsOf } from '../metadata-pairs.ts'

/** How many requests are archived at once. Their lines are in memory, and a line can have a few MB. */
const BATCH = 100

/** The result of an archive. `kept`: old requests that cannot be archived yet, for example because they are open. */
export type Archived = { archived: number; kept: number }

type ArchiveOptions = {
  before: Date
  write: (lines: readonly string[]) => Promise<void>
  onProgress: (soFar: Archived) => void
}

/**
 * Writes old requests to the archive, and deletes them from the database. After an interruption, the last batch may be
 * both in the archive and in the database.
 */
export async function archive(sql: Sql, { before, write, onProgress }: ArchiveOptions): Promise<Archived> {
  // This transaction only holds the lock, which ends with the connection. A transaction also works behind a pooler, and
  // this one keeps no snapshot open.
  return await sql.begin(async (lock) => {
    if (!(await tryArchiveLock(lock))) throw new OperatorError('Another archive is running. Wait until it ends.')
    let soFar: Archived = { archived: 0, kept: 0 }
    for (let after = 0; ; ) {
      await checkArchiveLock(lock)
      const { last, old, archivable } = await readArchivable(sql, before, after, BATCH)
      if (last === undefined || old === 0) return soFar
      const deleted = archivable.length === 0 ? 0 : await move(sql, archivable, write)
      soFar = { archived: soFar.archived + deleted, kept: soFar.kept + old - deleted }
      onProgress(soFar)
      after = last
    }
  })
}

async function move(sql: Sql, rows: readonly ArchivableRow[], write: ArchiveOptions['write']): Promise<number> {
  // PostgreSQL may write line breaks between JSON members, but never inside a JSON string.
  await write(rows.map(({ line }) => line.replaceAll('\n', ' ')))
  const pairs = rows.flatMap(({ id, accountId, metadata }) =>
    pairsOf(metadata ?? {}).map((pair) => ({ accountId, pair, requestId: id })),
  )
  return await sql.begin((tx) => deleteArchived(tx, rows, pairs))
}

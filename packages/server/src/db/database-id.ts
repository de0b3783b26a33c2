import type { Runner } from './connection/connect.ts'

/** Returns the random id of the database. A restored copy of the database has the same id. */
export async function readDatabaseId(sql: Runner): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from database_id`
  if (row === undefined) throw new Error('the table database_id is empty')
  return row.id
}

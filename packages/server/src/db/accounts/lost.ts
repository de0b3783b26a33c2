import type { Runner } from '../connection/connect.ts'

/** A request that only one of two servers has. The other may have given its number to another. */
export type LostRequest = { requestId: number; accountId: number; status: string; price: number; createdAt: string }

/** A movement of money that only one of two servers has. */
export type LostMovement = {
  movement: number
  accountId: number
  kind: string
  amount: number
  requestId: number | null
}

type Rows<Row> = (sql: Runner, before: number) => Promise<Row[]>

const AT_ONCE = 1_000

/** So many are named at most: who lost more has lost the database. */
const MOST = 100_000

/**
 * Lists requests of `old` that `current` does not have, newest first. It looks back until a thousand in a row are in both:
 * two servers that parted agree on all that is older.
 */
export const listLostRequests = (old: Runner, current: Runner): Promise<LostRequest[]> =>
  listLost<LostRequest>(
    old,
    current,
    ({ requestId }) => requestId,
    async (sql, before) =>
      await sql<LostRequest[]>`
    select id as "requestId", account_id as "accountId", status, price, to_json(created_at) #>> '{}' as "createdAt"
    from requests where id < ${before}::bigint order by id desc limit ${AT_ONCE}`,
  )

/** Lists movements of money of `old` that `current` does not have, newest first. */
export const listLostMovements = (old: Runner, current: Runner): Promise<LostMovement[]> =>
  listLost<LostMovement>(
    old,
    current,
    ({ movement }) => movement,
    async (sql, before) =>
      await sql<LostMovement[]>`
    select id as movement, account_id as "accountId", kind, amount, request_id as "requestId"
    from ledger where id < ${before}::bigint order by id desc limit ${AT_ONCE}`,
  )

async function listLost<Row extends object>(
  old: Runner,
  current: Runner,
  idOf: (row: Row) => number,
  rows: Rows<Row>,
): Promise<Row[]> {
  const lost: Row[] = []
  for (let before = Number.MAX_SAFE_INTEGER; lost.length < MOST; ) {
    const theirs = await rows(old, before)
    const [first] = theirs
    const last = theirs.at(-1)
    if (first === undefined || last === undefined) break
    const ours = new Set<string>()
    for (let top = idOf(first) + 1; top > idOf(last); ) {
      const page = await rows(current, top)
      for (const row of page) ours.add(JSON.stringify(row))
      const end = page.at(-1)
      if (end === undefined) break
      top = idOf(end)
    }
    const missing = theirs.filter((row) => !ours.has(JSON.stringify(row)))
    lost.push(...missing)
    if (missing.length === 0) break
    before = idOf(last)
  }
  return lost
}

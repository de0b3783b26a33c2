import type { LostMovement, LostRequest } from '../db/accounts/lost.ts'
import { listLostMovements, listLostRequests } from '../db/accounts/lost.ts'
import type { WritingServer } from '../db/connection/server-facts.ts'
import { listWriting, onServer } from '../db/connection/server-facts.ts'

/** Servers that each call themselves the primary. The lists are empty when there is only one. */
export type Division = {
  /** All that take writes: the first is the one that the service uses. */
  primaries: Pick<WritingServer, 'place' | 'timeline'>[]
  /** What the others have committed and the first has not. */
  lostRequests: (LostRequest & { place: string })[]
  lostMovements: (LostMovement & { place: string })[]
}

/** Looks for a second primary of the database, and for what only that one has. */
export async function findDivision(databaseUrl: string): Promise<Division> {
  const [current, ...others] = await listWriting(databaseUrl)
  const division: Division = { primaries: [], lostRequests: [], lostMovements: [] }
  if (current === undefined || others.length === 0) return division
  division.primaries = [current, ...others].map(({ place, timeline }) => ({ place, timeline }))
  await onServer(current.address, async (now) => {
    for (const { address, place } of others)
      await onServer(address, async (old) => {
        const named = <Row>(rows: Row[]) => rows.map((row) => ({ place, ...row }))
        division.lostRequests.push(...named(await listLostRequests(old, now)))
        division.lostMovements.push(...named(await listLostMovements(old, now)))
      })
  })
  return division
}

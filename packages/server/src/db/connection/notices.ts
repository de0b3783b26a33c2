import type { Lane } from '@mediamill/contract/domain/request'
import { LANES } from '@mediamill/contract/domain/request'
import type { Runner, Sql } from './connect.ts'
import { isAway } from './connect.ts'

/** Says "there is something to claim"; the text names the lanes, or none where any may be meant. */
const REQUESTS = 'mediamill_requests'
/** Says "this request was aborted"; the text is its id. */
const ABORTS = 'mediamill_aborts'
/** Says "these requests have ended"; the text is their ids, and of one alone how it ended, sealed, where that fits. */
const ENDS = 'mediamill_ends'
/** Says "there is a stamp to draw". */
const STAMPS = 'mediamill_stamps'
/** Says "these stamps are drawn, or will not be"; the text is their ids. */
const STAMP_ENDS = 'mediamill_stamp_ends'
/** Says "there is a part of a long video to make". */
const PARTS = 'mediamill_parts'
/** Says "there is something to deliver". */
const EVENTS = 'mediamill_events'

export async function notifyRequests(sql: Runner, lanes: readonly Lane[]): Promise<void> {
  await sql`select pg_notify(${REQUESTS}, ${lanes.join(' ')})`
}

/** The same as a value of a statement, once for each row that has it. */
export const notifyingLanes = (sql: Runner, lanes: readonly Lane[]) => sql`pg_notify(${REQUESTS}, ${lanes.join(' ')})`

/** The same as part of a statement. Nobody is told where `from` yields no rows. */
export const notifyingRequests = (sql: Runner, lanes: readonly Lane[], from: string) =>
  sql`(select ${notifyingLanes(sql, lanes)} from ${sql(from)} limit 1) told`

export async function notifyAbort(sql: Runner, id: number): Promise<void> {
  await sql`select pg_notify(${ABORTS}, ${String(id)})`
}

/** A notice holds less than 8,000 bytes: of more ids than fit, the others are found by looking. */
const MOST_ENDS = 400
const MOST_SEALED = 7_900

/** Stands before what is sealed: processes that know nothing of it take it for no id. */
const SEALED = '~'

/** Tells of ends. `sealed` is how the one of them ended, left out where it is too long. */
export async function notifyEnds(sql: Runner, ids: readonly number[], sealed?: string): Promise<void> {
  const texts = ids.slice(0, MOST_ENDS).map(String)
  if (sealed !== undefined && sealed.length <= MOST_SEALED) texts.push(SEALED + sealed)
  await sql`select pg_notify(${ENDS}, ${texts.join(' ')})`
}

/** Hears of ends that somebody waits for, until it is stopped. `listen` does the same of requests. */
export async function listenToEnds(
  sql: Sql,
  hear: (ids: number[], sealed?: string) => void,
): Promise<{ stop: () => Promise<void> }> {
  const ends = await listenTo(sql, ENDS, (text) => {
    const texts = text.split(' ')
    const sealed = texts.at(-1)?.startsWith(SEALED) === true ? texts.pop()?.slice(SEALED.length) : undefined
    hear(texts.map(Number), sealed)
  })
  return { stop: ends.unlisten }
}

export async function notifyStamps(sql: Runner): Promise<void> {
  await sql`select pg_notify(${STAMPS}, '')`
}

/** Hears of stamps to draw until it is stopped, as `listen` does of requests. */
export async function listenToStamps(sql: Sql, hear: () => void): Promise<{ stop: () => Promise<void> }> {
  const stamps = await listenTo(sql, STAMPS, hear, hear)
  return { stop: stamps.unlisten }
}

/** Ids of stamps that a notice holds. */
const MOST_STAMP_ENDS = 200

export async function notifyStampEnds(sql: Runner, ids: readonly string[]): Promise<void> {
  await sql`select pg_notify(${STAMP_ENDS}, ${ids.slice(0, MOST_STAMP_ENDS).join(' ')})`
}

/** Hears of the ends of stamps until it is stopped, as `listen` does of requests. */
export async function listenToStampEnds(
  sql: Sql,
  hear: (ids: string[]) => void,
): Promise<{ stop: () => Promise<void> }> {
  const ends = await listenTo(sql, STAMP_ENDS, (text) => hear(text.split(' ')))
  return { stop: ends.unlisten }
}

export async function notifyParts(sql: Runner): Promise<void> {
  await sql`select pg_notify(${PARTS}, '')`
}

/** Hears of parts of long videos, as `listen` does of requests. It hears of aborted requests too. */
export async function listenToParts(
  sql: Sql,
  hear: { parts: () => void; abort: (id: number) => void },
): Promise<{ stop: () => Promise<void> }> {
  const parts = await listenTo(sql, PARTS, hear.parts, hear.parts)
  const aborts = await listenTo(sql, ABORTS, (text) => hear.abort(Number(text)))
  return {
    stop: async () => {
      await parts.unlisten()
      await aborts.unlisten()
    },
  }
}

export async function notifyEvents(sql: Runner): Promise<void> {
  await sql`select pg_notify(${EVENTS}, '')`
}

/** Hears of events until it is stopped, as `listen` does of requests. */
export async function listenToEvents(sql: Sql, hear: () => void): Promise<{ stop: () => Promise<void> }> {
  const events = await listenTo(sql, EVENTS, hear, hear)
  return { stop: events.unlisten }
}

/**
 * Hears both notices until it is stopped. After a lost connection, or when the database is away now, it listens as soon as
 * it can; what was missed meanwhile is caught by polling.
 */
export async function listen(
  sql: Sql,
  hear: { requests: (lanes: readonly Lane[]) => void; abort: (id: number) => void },
): Promise<{ stop: () => Promise<void> }> {
  const hearAll = () => hear.requests(LANES)
  const requests = await listenTo(sql, REQUESTS, (text) => hear.requests(lanesIn(text)), hearAll)
  const aborts = await listenTo(sql, ABORTS, (text) => hear.abort(Number(text)))
  return {
    stop: async () => {
      await requests.unlisten()
      await aborts.unlisten()
    },
  }
}

const lanesIn = (text: string) => (text === '' ? LANES : LANES.filter((lane) => text.split(' ').includes(lane)))

/** The driver goes on trying by itself when the first try finds the database away. */
async function listenTo(
  sql: Sql,
  channel: string,
  hear: (text: string) => void,
  onListening?: () => void,
): Promise<{ unlisten: () => Promise<void> }> {
  try {
    return await sql.listen(channel, hear, onListening)
  } catch (error) {
    if (isAway(error)) return { unlisten: () => Promise.resolve() }
    throw error
  }
}

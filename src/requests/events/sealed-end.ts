import { seal, unseal } from '../../accounts/seal.ts'
import type { RequestRow } from '../../db/requests.ts'

/** How each column of a row is written. Another version's rows may have others: they are not read, but looked for. */
const COLUMNS = {
  id: 'plain',
  accountId: 'plain',
  livemode: 'plain',
  endpoint: 'plain',
  status: 'plain',
  source: 'plain',
  webhookUrl: 'plain',
  input: 'plain',
  customer: 'plain',
  metadata: 'plain',
  attempt: 'plain',
  progress: 'plain',
  price: 'plain',
  data: 'plain',
  files: 'plain',
  error: 'plain',
  took: 'plain',
  createdAt: 'time',
  startedAt: 'time',
  completedAt: 'time',
  deletedAt: 'time',
  filesDeleted: 'plain',
} satisfies Record<keyof RequestRow, 'plain' | 'time'>
const NAMES = Object.keys(COLUMNS) as (keyof RequestRow)[]

/**
 * Seals a row that ended for the notice of it. Every user of the database may hear that; each row has a key of its own, of
 * `SECRET_KEY` and the request's number.
 */
export function sealEnd(secretKey: string, row: RequestRow): string {
  const text = JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, row[name]])))
  // wall: an end told in the clear to who hears notices
  return seal(secretKey, contextOf(row.id), text, `end of ${row.id}`).toString('base64')
}

/**
 * Opens the row of a notice. `undefined`: it is sealed with another key, is another request's, or of another version.
 */
export function openEnd(secretKey: string, id: number, sealed: string): RequestRow | undefined {
  try {
    const text = unseal(secretKey, contextOf(id), Buffer.from(sealed, 'base64'), `end of ${id}`)
    const row = JSON.parse(text) as Record<string, unknown>
    if (Object.keys(row).length !== NAMES.length || !NAMES.every((name) => Object.hasOwn(row, name))) return undefined
    for (const name of NAMES) {
      const value = row[name]
      if (COLUMNS[name] === 'time' && typeof value === 'string') row[name] = new Date(value)
    }
    return row as RequestRow
  } catch {
    return undefined
  }
}

const contextOf = (id: number) => `request ${id}`

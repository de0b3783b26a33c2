import { randomBytes } from 'node:crypto'
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

/** One key seals so many rows: drawn nonces of one key would come twice one day (NIST SP 800-38D, 8.3). */
const ROWS_OF_A_KEY = 2 ** 24
/** A key's name, in base64. */
const NAME_LENGTH = 16
const newName = () => randomBytes((NAME_LENGTH / 4) * 3).toString('base64')

let name = newName()
let sealedRows = 0

/**
 * Seals a row that ended for the notice of it. Every user of the database may hear that; each process has keys of its own
 * for it, of `SECRET_KEY` and a name that goes along.
 */
export function sealEnd(secretKey: string, row: RequestRow): string {
  const text = JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, row[name]])))
  if (sealedRows === ROWS_OF_A_KEY) [name, sealedRows] = [newName(), 0]
  sealedRows += 1
  // wall: an end told in the clear to who hears notices
  return name + seal(secretKey, contextOf(row.id), text, `ends of ${name}`).toString('base64')
}

/**
 * Opens the row of a notice. `undefined`: it is sealed with another key, is another request's, or of another version.
 */
export function openEnd(secretKey: string, id: number, sealed: string): RequestRow | undefined {
  try {
    const bytes = Buffer.from(sealed.slice(NAME_LENGTH), 'base64')
    const text = unseal(secretKey, contextOf(id), bytes, `ends of ${sealed.slice(0, NAME_LENGTH)}`)
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

import type { Parameter } from 'postgres'
import type { Runner } from './connect.ts'

/** PostgreSQL's number for the type `json`. */
const JSON_TYPE = 114

/** Makes a value for a `json` column. It keeps the order of keys as it was sent (`jsonb` would not). */
export function json(sql: Runner, value: unknown): Parameter<unknown> | null {
  return value === null || value === undefined ? null : sql.typed(value as never, JSON_TYPE)
}

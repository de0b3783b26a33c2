import { Json } from './statement.ts'

/** Wraps a value for a `json` column. A `json` column keeps the order of keys, unlike `jsonb`. */
export const json = (value: unknown): Json | null => (value === null || value === undefined ? null : new Json(value))

import { Json } from './statement.ts'

/** Wraps a value for a `json` column. Unlike `jsonb`, such a column keeps the order of keys. */
export const json = (value: unknown): Json | null => (value === null || value === undefined ? null : new Json(value))

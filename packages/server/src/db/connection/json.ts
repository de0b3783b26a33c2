import { Json } from './statement.ts'

/** Makes a value for a `json` column. It keeps the order of keys as it was sent (`jsonb` would not). */
export const json = (value: unknown): Json | null => (value === null || value === undefined ? null : new Json(value))

import type { Json } from './json.ts'

/** A response to a call. `body` is its parsed JSON. */
export type Answer = { status: number; headers: Headers; body: Json; bytes: Buffer }

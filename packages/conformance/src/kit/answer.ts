import type { Json } from './json.ts'

/** An answer as a client sees it; `body` is its JSON. */
export type Answer = { status: number; headers: Headers; body: Json; bytes: Buffer }

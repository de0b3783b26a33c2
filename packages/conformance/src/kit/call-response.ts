import type { Json } from './json.ts'

/** A response to a call. `body` is the parsed JSON. */
export type CallResponse = { status: number; headers: Headers; body: Json; bytes: Buffer }

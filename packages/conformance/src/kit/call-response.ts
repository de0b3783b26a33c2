import type { Json } from './json.ts'

export type CallResponse = { status: number; headers: Headers; body: Json; bytes: Buffer }

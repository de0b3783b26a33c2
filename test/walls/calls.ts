import type { Wall } from './wall.ts'
import { wallsOf } from './wall.ts'

const HELD = ['src/http/held-calls.test.ts']

/** What calls that wait, and callers from browsers, may do. */
export const CALLS: readonly Wall[] = [
  ...wallsOf(HELD, {
    'calls that one account holds without end': 'never',
    'calls that a process holds without end': 'never',
  }),
]

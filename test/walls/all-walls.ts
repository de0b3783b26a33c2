import { DECODING } from './decoding.ts'
import { ENGINES } from './engines.ts'
import { INSIDE } from './inside.ts'
import { OUTGOING } from './outgoing.ts'
import type { Wall } from './wall.ts'

/** Every wall of docs/security.md that stands in our own code. */
export const WALLS: readonly Wall[] = [...OUTGOING, ...ENGINES, ...DECODING, ...INSIDE]

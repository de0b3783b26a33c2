import type { InvalidField } from '../../domain/errors.ts'

/** A fault at a place of a body. `message` goes on after the name of the field, without its full stop. */
export type Fault = { path: PropertyKey[]; code: InvalidField['code']; message: string }

/**
 * The most invalid fields that an answer lists. A body of a megabyte can hold a hundred thousand, and nobody reads that
 * many.
 */
export const MAX_LISTED = 1000

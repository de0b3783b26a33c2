import type { InvalidField } from '../../domain/errors.ts'

/** What is wrong at a place of a body; `message` goes on after the name of the field, without its full stop. */
export type Fault = { path: PropertyKey[]; code: InvalidField['code']; message: string }

/** Invalid fields that are told of: a body of a megabyte can hold a hundred thousand, and nobody reads so many. */
export const MAX_LISTED = 1000

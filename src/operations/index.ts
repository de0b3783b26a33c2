import type { Operation } from './operation.ts'

/** Every operation of Spec 4.5, in its order. To add one: its file, its test, two lines here. */
export const OPERATIONS: readonly Operation[] = []

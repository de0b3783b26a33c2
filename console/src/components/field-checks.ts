import { shared } from '../text.ts'
// Forms set `noValidate` and use these functions, so that each error appears below its field in the same style.

export const filled =
  (message: string) =>
  (value: string): string | null =>
    value.trim() === '' ? message : null

/** Matches text that may be an email address. The service checks all other rules. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/

export const emailOrNothing = (value: string): string | null =>
  value.trim() === '' || ADDRESS.test(value.trim()) ? null : shared.emailError

export const email = (value: string): string | null => filled(shared.emailMissing)(value) ?? emailOrNothing(value)

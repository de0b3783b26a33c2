// Forms set `noValidate` and check their fields with these functions. A browser's own messages appear in bubbles, and the
// service's messages below the field: with one component, both kinds of error look alike.

/** Checks that a field is filled in. */
export const filled =
  (message: string) =>
  (value: string): string | null =>
    value.trim() === '' ? message : null

/** Text before and after one `@`. The service checks the rest. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/

/** Checks an optional email address. */
export const emailOrNothing = (value: string): string | null =>
  value.trim() === '' || ADDRESS.test(value.trim()) ? null : 'Enter an email address, such as ada@example.com.'

/** Checks an email address. */
export const email = (value: string): string | null => filled('Enter an email address.')(value) ?? emailOrNothing(value)

// Forms set `noValidate`, and check their fields with these functions. A browser would show its own messages in
// bubbles, but messages of the service appear below the field. With these functions, both kinds of errors look alike.

/** Returns a function that checks whether a field is filled in. */
export const filled =
  (message: string) =>
  (value: string): string | null =>
    value.trim() === '' ? message : null

/** Matches text before and after a single `@`. The service validates the rest. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/

/** Checks an email address in an optional field. */
export const emailOrNothing = (value: string): string | null =>
  value.trim() === '' || ADDRESS.test(value.trim()) ? null : 'Enter an email address, such as ada@example.com.'

/** Checks an email address in a required field. */
export const email = (value: string): string | null => filled('Enter an email address.')(value) ?? emailOrNothing(value)

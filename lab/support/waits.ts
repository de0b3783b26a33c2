/**
 * The waits of `until` that have not ended. The message of each error is the condition, and its stack contains the
 * caller.
 */
export const waits = new Set<Error>()

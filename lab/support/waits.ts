/** The waits of `until` that have not ended. The message is the condition, and the stack contains the caller. */
export const waits = new Set<Error>()

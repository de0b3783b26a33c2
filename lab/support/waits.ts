/** The waits of `until` that have not ended. Each message is the condition, and each stack contains the caller. */
export const waits = new Set<Error>()

/** Returns a function that calls `read` at most once per `ms`. Calls in between get the same promise. */
export function reuse<Result>(ms: number, read: () => Promise<Result>): () => Promise<Result> {
  let known: { since: number; result: Promise<Result> } | undefined
  return () => {
    const now = Date.now()
    // The clock may have been set back.
    if (known === undefined || Math.abs(now - known.since) >= ms) known = { since: now, result: read() }
    return known.result
  }
}

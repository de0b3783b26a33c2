/** Returns a signal that aborts with the first Ctrl-C or SIGTERM. */
export function abortOnSignal(): AbortSignal {
  const told = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => told.abort())
  return told.signal
}

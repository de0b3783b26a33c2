/** Returns a signal that aborts with the first Ctrl-C or SIGTERM. */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

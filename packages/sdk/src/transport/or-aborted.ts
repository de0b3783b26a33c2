export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise
  signal.throwIfAborted()
  return await new Promise((resolve, reject) => {
    const end = () => reject(signal.reason as Error)
    signal.addEventListener('abort', end)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

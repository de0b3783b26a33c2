import { isMediamillError } from './mediamill-error.ts'

const extended = new WeakSet<object>()

export async function traced<T>(work: () => Promise<T>): Promise<T> {
  const withCaller = recordCaller()
  return await work().catch((error: unknown) => {
    throw withCaller(error)
  })
}

/** Returns a function that adds the current stack to errors. After an `await`, they do not show who made the call. */
export function recordCaller(): (error: unknown) => unknown {
  const { stack = '' } = new Error()
  return (error) => {
    if (!isMediamillError(error) || extended.has(error)) return error
    extended.add(error)
    error.stack = `${error.stack ?? ''}\n${stack.replace(/^Error.*\n/, '')}`
    return error
  }
}

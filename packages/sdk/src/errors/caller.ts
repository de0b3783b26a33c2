import { isMediamillError } from './mediamill-error.ts'

const extended = new WeakSet<object>()

/**
 * Records the stack of a call. Returns a function that appends this stack to the error that the call fails with.
 *
 * The error itself is created later, where the runtime no longer shows the frames of the caller.
 */
export function recordCaller(): (error: unknown) => unknown {
  const { stack = '' } = new Error()
  return (error) => {
    if (!isMediamillError(error) || extended.has(error)) return error
    extended.add(error)
    error.stack = `${error.stack ?? ''}\n${stack.replace(/^Error.*\n/, '')}`
    return error
  }
}

/** Returns the result of `read`, or `undefined` if it throws a `RangeError`, as for truncated bytes. */
export function tryRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Returns the result of `read`, or `undefined` if `read` throws a `RangeError`, as it does for truncated bytes and
 * wrong offsets.
 */
export function tryRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns the result of `work`, or after `ms` that of `late`. The work continues, and its errors are then ignored. */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  ms: number,
  late: () => Late,
): Promise<Result | Late> {
  const { promise, resolve, reject } = Promise.withResolvers<Late>()
  const timer = setTimeout(() => {
    try {
      resolve(late())
    } catch (error) {
      reject(error)
    }
  }, ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

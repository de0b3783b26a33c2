/**
 * Waits for `work`, and settles like `late` if that takes longer than `ms`. The work itself continues, and its later
 * errors are ignored.
 */
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

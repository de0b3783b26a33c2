/**
 * Waits for `work`, and settles as `late` does when that takes longer than `ms`.
 *
 * The timer is gone when the promise settles. `work` itself runs on; what it rejects with after its time is dropped.
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

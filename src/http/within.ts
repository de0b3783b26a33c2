import { ApiError } from '../domain/errors.ts'
import type { Door } from './door.ts'
import { PATIENCE_MS } from './patience.ts'

/**
 * What the database says, or `server_error` when it says nothing in time.
 *
 * The driver itself gives up after five seconds, but not on an address where every connection is taken and closed at
 * once, as a proxy before a stopped database does: there it tries again for ever.
 */
export async function within<Result>(door: Door, asked: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const cause = new Error('the database did not answer in time')
    reject(new ApiError('server_error', 'Something went wrong on our side. Try again in a moment.', { cause }))
  }, door.patienceMs ?? PATIENCE_MS)
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

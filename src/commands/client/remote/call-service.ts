import type { Answer, Call } from '../../../client/transport/transport.ts'
import { VERSION } from '../../../client/version.ts'
import type { Place } from './connect.ts'

const TIMEOUT_MS = 30_000

/** Makes a call that the library has no method for. It is repeated where that helps, as the library's are. */
export async function callService<T>({ url, apiKey }: Place, call: Call): Promise<Answer<T>> {
  const [{ send }, { CLOCK }] = await Promise.all([
    import('../../../client/transport/transport.ts'),
    import('../../../client/transport/clock.ts'),
  ])
  const transport = {
    baseUrl: url,
    apiKey,
    userAgent: `mediamill-cli/${VERSION}`,
    fetch: globalThis.fetch,
    timeoutMs: TIMEOUT_MS,
    maxRetries: 2,
    clock: CLOCK,
  }
  return await send<T>(transport, call)
}

/** A rate limit: the calls per minute, the calls that remain in this minute, and the seconds until it resets. */
export type RateLimit = { limit: number; remaining: number; resetSeconds: number }

export function rateLimitOf(headers: Headers): RateLimit | undefined {
  const number = (header: string, name: string) => {
    const match = new RegExp(`;\\s*${name}=(\\d+)`).exec(headers.get(header) ?? '')
    return match === null ? undefined : Number(match[1])
  }
  const [remaining, resetSeconds] = [number('ratelimit', 'r'), number('ratelimit', 't')]
  if (remaining === undefined || resetSeconds === undefined) return undefined
  return { limit: number('ratelimit-policy', 'q') ?? remaining, remaining, resetSeconds }
}

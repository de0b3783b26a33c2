import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'

export const LIMITS = checksOf([
  {
    title: 'response headers show how many calls of the minute remain, and calls that return an error also count',
    rules: ['limits.rate.1', 'limits.rate.2'],
    alone: true,
    run: async (kit) => {
      const left = async (path: string) => {
        const { headers } = await kit.call('GET', path)
        const limit = Number(headers.get('x-ratelimit-limit'))
        equal(limit, kit.account.limits.requests_per_minute, 'X-RateLimit-Limit')
        equal(headers.get('ratelimit-policy'), `"calls";q=${limit};w=60`, 'RateLimit-Policy')
        const remaining = Number(headers.get('x-ratelimit-remaining'))
        ok(
          headers.get('ratelimit')?.startsWith(`"calls";r=${remaining};t=`) === true,
          'RateLimit',
          headers.get('ratelimit'),
        )
        return remaining
      }
      const [first, second, third] = [
        await left('/v1/account'),
        await left('/v1/requests/x'),
        await left('/v1/nothing'),
      ]
      ok(first - second === 1 && second - third === 1, 'each call counts once', [first, second, third])
    },
  },
  {
    title: 'a request over the limit of concurrent requests returns 429, and does not count toward the rate limit',
    needs: ['small'],
    rules: ['limits.concurrency.1', 'limits.rate.1', 'limits.rate.3'],
    alone: true,
    run: async (kit) => {
      const key = kit.key('small')
      const most: number = (await kit.call('GET', '/v1/account', { key })).body.limits.concurrent_requests
      const open = await Promise.all(Array.from({ length: most }, () => kit.open({ key })))
      const body = { source: await kit.image(key) }
      const left = async (call: ReturnType<typeof kit.call>) =>
        Number((await call).headers.get('x-ratelimit-remaining'))
      const before = await left(kit.call('GET', '/v1/account', { key }))
      const rejected = kit.call('POST', '/v1/images/read', { key, body })
      await kit.rejects(rejected, 429, 'concurrency_limited')
      // Between the two calls, earlier calls can become more than a minute old, and then no longer count.
      const remaining = await left(rejected)
      ok(remaining >= before, 'the rejected call does not count', [before, remaining])
      for (const { id } of open) await kit.abort(id, { key })
      await kit.settled(await kit.start('images/read', { source: await kit.image(key) }, { key }), { key })
    },
  },
  {
    title:
      'in any 60 s, an account can make as many calls as its rate limit; further calls return 429 with Retry-After, and do not count',
    needs: ['test'],
    rules: ['limits.rate.1', 'limits.rate.3', 'limits.counting.1'],
    alone: true,
    run: async (kit) => {
      const key = kit.key('test')
      const call = () => kit.call('GET', '/v1/account', { key, isUnpaced: true })
      const responses = await Promise.all(Array.from({ length: 14 }, call))
      const rejected = responses.filter(({ status }) => status === 429)
      ok(
        rejected.length >= 4,
        'calls beyond 10 in a minute are rejected',
        responses.map(({ status }) => status),
      )
      for (const { body, headers } of rejected) {
        equal(body.error.code, 'rate_limited', 'their code')
        const seconds = Number(headers.get('retry-after'))
        ok(seconds >= 1 && seconds <= 60, 'Retry-After', seconds)
      }
      if (kit.account.livemode) equal((await kit.call('GET', '/v1/account')).status, 200, 'a call of the other mode')
    },
  },
])

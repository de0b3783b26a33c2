import { randomUUID } from 'node:crypto'
import { checksOf } from '../kit/check.ts'
import { equal, inRange, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'

export const WAITING = checksOf([
  {
    title: 'a long poll returns 200 with the finished request, even if the request failed',
    rules: ['waiting.prefer.1', 'waiting.prefer.2', 'waiting.prefer.3'],
    run: async (kit) => {
      const source = await kit.image()
      for (const [endpoint, prefer, applied, status] of [
        ['images/read', 'wait=30', 'wait=30', 'succeeded'],
        ['documents/read', 'wait=99', 'wait=55', 'failed'],
        ['images/read', 'wait', 'wait=20', 'succeeded'],
      ]) {
        const {
          status: code,
          body,
          headers,
        } = await kit.call('POST', `/v1/${endpoint}`, { body: { source }, headers: { prefer: prefer ?? '' } })
        equal(
          [code, body.status, headers.get('preference-applied')],
          [200, status, applied],
          `${endpoint} with Prefer: ${prefer}`,
        )
        ok(headers.get('location') === null, 'a finished request has no Location')
      }
    },
  },
  {
    title:
      'a Prefer header that is unknown, malformed, or wait=0 is ignored, and an idempotent replay can be a long poll',
    rules: ['waiting.prefer.2', 'waiting.prefer.5'],
    run: async (kit) => {
      const body = { source: await kit.image() }
      for (const prefer of ['wait=0', 'wait=x', 'respond-async', 'return=minimal', 'wait=-1', 'wait=1.5']) {
        const {
          status,
          headers,
          body: request,
        } = await kit.call('POST', '/v1/images/read', { body, headers: { prefer } })
        equal([status, request.status, headers.get('preference-applied')], [202, 'queued', null], `Prefer: ${prefer}`)
        await kit.settled(request)
      }
      const headers = { 'idempotency-key': randomUUID(), prefer: 'wait=30' }
      await kit.call('POST', '/v1/images/read', { body, headers })
      const replay = await kit.call('POST', '/v1/images/read', { body, headers })
      equal(
        [replay.status, replay.headers.get('preference-applied'), replay.headers.get('idempotent-replayed')],
        [200, 'wait=30', 'true'],
        'a replay that waits',
      )
    },
  },
  {
    title: 'a long poll whose time is over returns the current request, with 202 for a POST and 200 for a GET',
    rules: ['waiting.prefer.1', 'waiting.prefer.4'],
    alone: true,
    run: async (kit) => {
      const open = await kit.open({ headers: { prefer: 'wait=1' } })
      const left = Number((await kit.call('GET', '/v1/account')).headers.get('x-ratelimit-remaining'))
      const at = Date.now()
      const { status, body, headers } = await kit.call('GET', `/v1/requests/${open.id}`, {
        headers: { prefer: 'wait=1' },
      })
      if (body.status === 'processing' || body.status === 'queued')
        inRange(Date.now() - at, 900, 6000, 'milliseconds until a GET with wait=1 returns')
      equal([status, headers.get('preference-applied')], [200, 'wait=1'], 'a GET that waits')
      ok(left - Number(headers.get('x-ratelimit-remaining')) <= 2, 'a long poll counts once')
      await kit.abort(open.id)
    },
  },
  {
    title:
      'an account can have twice as many long polls as concurrent requests, and a further long poll returns at once',
    needs: ['small'],
    rules: ['waiting.limits.1'],
    alone: true,
    run: async (kit) => {
      const key = kit.key('small')
      const most = 2 * (await kit.call('GET', '/v1/account', { key })).body.limits.concurrent_requests
      const { id } = await kit.open({ key })
      const waiting = () => kit.call('GET', `/v1/requests/${id}`, { key, headers: { prefer: 'wait=3' } })
      const responses = await Promise.all(Array.from({ length: most + 1 }, waiting))
      equal(responses.filter(({ headers }) => headers.has('preference-applied')).length, most, 'calls that wait')
      ok(
        responses.every(({ status }) => status === 200),
        'a further call returns too',
      )
      await kit.abort(id, { key })
    },
  },
  {
    title:
      'an estimate returns the price and the units, starts no request, and rejects the same bodies as the endpoint',
    rules: ['estimates.calls.1', 'estimates.price.1', 'estimates.calls.3'],
    run: async (kit) => {
      const customer = `estimate-${randomUUID()}`
      const estimate = (endpoint: string, body: object, headers: Record<string, string> = {}) =>
        kit.call('POST', `/v1/${endpoint}/estimate`, { body: { customer, ...body }, headers })
      const live = kit.account.livemode
      const source = await kit.image()
      const operations = [{ type: 'watermark', image_url: source, x: 0, y: 0 }]
      const pages = await estimate(
        'documents/process',
        { source, operations, max_pages: 10 },
        { 'idempotency-key': 'k'.repeat(300) },
      )
      equal(
        [pages.status, pages.body?.object, pages.body?.endpoint],
        [200, 'estimate', 'documents/process'],
        'an estimate',
      )
      equal(
        [pages.body.unit, pages.body.unit_price.micro_usd, pages.body.units],
        ['page', 4000, { minimum: 1, maximum: 10 }],
        'its units',
      )
      const money = ({ price }: Json) => [price.minimum.micro_usd, price.maximum?.micro_usd ?? null]
      equal(money(pages.body), live ? [4000, 40_000] : [0, 0], 'its price')
      equal(pages.body.affordable, true, 'affordable')
      const any = await estimate('documents/process', { source, operations })
      equal(
        [any.body.units.maximum, any.body.price.maximum],
        [null, null],
        'the maximum of a price that depends on the file',
      )
      const image = await estimate('images/process', { source, operations: [{ type: 'flip' }] })
      equal(
        [image.body.unit, image.body.units, money(image.body)],
        ['request', { minimum: 1, maximum: 1 }, live ? [2000, 2000] : [0, 0]],
        'an exact price',
      )
      await kit.rejects(estimate('images/process', { source, operations: [] }), 422, 'validation_failed', 'operations')
      await kit.rejects(estimate('images/read', { source: 'http://10.0.0.1/' }), 422, 'url_blocked', 'source')
      equal(
        (await kit.call('GET', `/v1/requests?customer=${customer}`)).body.data,
        [],
        'requests that estimates have started',
      )
    },
  },
  {
    title: 'for an account with insufficient credit, an estimate returns affordable false and no error',
    needs: ['poor'],
    rules: ['estimates.calls.2'],
    run: async (kit) => {
      const key = kit.key('poor')
      const body = { source: await kit.image(key) }
      const { status, body: received } = await kit.call('POST', '/v1/images/read/estimate', { key, body })
      equal([status, received.affordable], [200, false], 'an estimate without credit')
    },
  },
])

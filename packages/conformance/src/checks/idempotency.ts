import { randomUUID } from 'node:crypto'
import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import { quarters } from '../media/image.ts'
import { encodePng } from '../media/png.ts'

export const IDEMPOTENCY = checksOf([
  {
    title:
      'a call with the same idempotency key and body, with fields in any order, returns the first request in its current state',
    rules: ['idempotency.replays.1'],
    run: async (kit) => {
      const source = await kit.image()
      const headers = { 'idempotency-key': randomUUID() }
      const text = `{"source":"${source}","operations":[{"type":"resize","width":10,"height":9}],"customer":"a"}`
      const first = await kit.call('POST', '/v1/images/process', { body: text, headers })
      equal([first.status, first.headers.get('idempotent-replayed')], [202, null], 'the first call')
      const ended = await kit.settled(first.body)
      const other = `{ "customer": "a", "operations": [ { "height": 9, "width": 10, "type": "resize" } ], "source": "${source}" }`
      for (const body of [text, other]) {
        const again = await kit.call('POST', '/v1/images/process', { body, headers })
        equal([again.status, again.headers.get('idempotent-replayed')], [200, 'true'], 'a replay')
        equal(again.body, ended, 'a replay shows the first request as it is now')
      }
    },
  },
  {
    title: 'an idempotency key that is reused with another body or at another endpoint returns 409',
    rules: ['idempotency.conflicts.1'],
    run: async (kit) => {
      const body = { source: await kit.image() }
      const headers = { 'idempotency-key': randomUUID() }
      await kit.settled(await kit.start('images/read', body, { headers }))
      const other = kit.call('POST', '/v1/images/read', { body: { ...body, customer: 'b' }, headers })
      await kit.rejects(other, 409, 'idempotency_key_reused')
      await kit.rejects(kit.call('POST', '/v1/documents/read', { body, headers }), 409, 'idempotency_key_reused')
    },
  },
  {
    title:
      'if a call is repeated with the same idempotency key, two uploads with the same content count as the same source',
    rules: ['idempotency.replays.3'],
    run: async (kit) => {
      const headers = { 'idempotency-key': randomUUID() }
      const read = async (bytes: Buffer) =>
        await kit.call('POST', '/v1/images/read', { body: { source: await kit.upload(bytes) }, headers })
      const png = encodePng(quarters(22, 33))
      const first = await read(png)
      equal(first.status, 202, 'the first call')
      const again = await read(png)
      equal([again.body.id, again.headers.get('idempotent-replayed')], [first.body.id, 'true'], 'the same content')
      await kit.rejects(read(encodePng(quarters(22, 34))), 409, 'idempotency_key_reused')
      await kit.settled(first.body)
    },
  },
  {
    title:
      'if a call is repeated with the same idempotency key, presigned URLs that differ only in their signature count as the same source',
    needs: ['receiver'],
    rules: ['idempotency.replays.3'],
    run: async (kit) => {
      const headers = { 'idempotency-key': randomUUID() }
      const { url } = kit.receiver.open((response) => void response.end(encodePng(quarters())))
      const read = (query: string) =>
        kit.call('POST', '/v1/images/read', { body: { source: `${url}?${query}` }, headers })
      const first = await read('v=1&X-Amz-Signature=1&X-Amz-Date=20990101T000000Z&sig=1&X-Goog-Signature=1')
      equal(first.status, 202, 'the first call')
      const again = await read('v=1&X-Amz-Signature=2&sig=3')
      equal([again.body.id, again.headers.get('idempotent-replayed')], [first.body.id, 'true'], 'another signature')
      await kit.rejects(read('v=2&X-Amz-Signature=2&sig=3'), 409, 'idempotency_key_reused')
      await kit.settled(first.body)
    },
  },
  {
    // The other limits of this rule need an account that is almost without credit or without test requests.
    title: 'an idempotent replay returns its request even at the limit of concurrent requests',
    needs: ['small', 'receiver'],
    rules: ['idempotency.replays.2'],
    alone: true,
    run: async (kit) => {
      const key = kit.key('small')
      const most: number = (await kit.call('GET', '/v1/account', { key })).body.limits.concurrent_requests
      const { url } = kit.receiver.open(() => undefined)
      const headers = { 'idempotency-key': randomUUID() }
      const first = await kit.start('images/read', { source: url }, { key, headers })
      const others = await Promise.all(Array.from({ length: most - 1 }, () => kit.open({ key })))
      await kit.rejects(kit.call('POST', '/v1/images/read', { key, body: { source: url } }), 429, 'concurrency_limited')
      const again = await kit.call('POST', '/v1/images/read', { key, headers, body: { source: url } })
      equal([again.status, again.body.id], [200, first.id], 'a replay at the limit')
      for (const { id } of [first, ...others]) await kit.abort(id, { key })
    },
  },
  {
    title: 'if several calls with one idempotency key race, exactly one starts a request',
    rules: ['idempotency.conflicts.2', 'idempotency.binding.2'],
    run: async (kit) => {
      const body = { source: await kit.image() }
      for (let round = 0; round < 3; round += 1) {
        const headers = { 'idempotency-key': randomUUID() }
        const calls = Array.from({ length: 4 }, () => kit.call('POST', '/v1/images/read', { body, headers }))
        const responses = await Promise.all(calls)
        equal(responses.filter(({ status }) => status === 202).length, 1, 'calls that are accepted')
        const ids = new Set<number>()
        for (const { status, headers: received, body: shown } of responses) {
          if (status === 409) {
            equal([shown.error.code, received.get('retry-after')], ['idempotency_key_in_use', '1'], 'a concurrent call')
          } else {
            ok(status === 202 || status === 200, 'a concurrent call', status)
            ids.add(shown.id)
          }
        }
        equal(ids.size, 1, 'requests of one key')
        for (const id of ids) await kit.settled({ id, status: 'queued' })
      }
    },
  },
  {
    title: 'a rejected call does not use up its idempotency key',
    rules: ['idempotency.binding.1'],
    run: async (kit) => {
      const headers = { 'idempotency-key': randomUUID() }
      await kit.rejects(
        kit.call('POST', '/v1/images/read', { body: { source: 'http://localhost/' }, headers }),
        422,
        'url_blocked',
      )
      await kit.settled(await kit.start('images/read', { source: await kit.image() }, { headers }))
    },
  },
  {
    title: 'an idempotency key has 1 to 255 characters',
    rules: ['idempotency.keys.1'],
    run: async (kit) => {
      const body = { source: await kit.image() }
      const post = (key: string) => kit.call('POST', '/v1/images/read', { body, headers: { 'idempotency-key': key } })
      await kit.rejects(post(''), 422, 'validation_failed', 'Idempotency-Key')
      await kit.rejects(post('k'.repeat(256)), 422, 'validation_failed', 'Idempotency-Key')
      const { status, body: request } = await post(`${randomUUID()}`.padEnd(255, 'k'))
      equal(status, 202, 'a key of 255 characters')
      await kit.settled(request)
    },
  },
  {
    title: 'an idempotency key that a live call has used can be used again by a test call',
    needs: ['live', 'test'],
    rules: ['idempotency.keys.1'],
    run: async (kit) => {
      const headers = { 'idempotency-key': randomUUID() }
      const key = kit.key('test')
      await kit.settled(await kit.start('images/read', { source: await kit.image() }, { headers }))
      const test = await kit.start('images/read', { source: await kit.image(key) }, { headers, key })
      equal(test.livemode, false, 'the mode of the other request')
      await kit.settled(test, { key })
    },
  },
])

import { createHmac } from 'node:crypto'
import { checksOf } from '../kit/check.ts'
import { equal, inRange, match, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import type { Received } from '../kit/receiver.ts'

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)

function checkSignature({ headers, raw, at }: Received, secret: string): void {
  const parts = String(headers['service-signature'])
    .split(',')
    .map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  inRange(Number(time) - at / 1000, -300, 300, 'seconds between t and now')
  const digest = hmac(secret, `${time}.${raw.toString()}`).digest('hex')
  ok(
    parts.some(([name, value]) => name === 'v1' && value === digest),
    'v1 is the digest of t and the raw body',
    headers['service-signature'],
  )
  const [id, stamp] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
  equal(id, headers['service-event-id'], 'webhook-id')
  const standard = hmac(Buffer.from(secret.replace('whsec_', ''), 'base64'), `${id}.${stamp}.${raw.toString()}`).digest(
    'base64',
  )
  ok(
    String(headers['webhook-signature']).split(' ').includes(`v1,${standard}`),
    'webhook-signature',
    headers['webhook-signature'],
  )
}

export const EVENTS = checksOf([
  {
    title:
      'a finished request has exactly one event, with the type of its status and with the final state of the request',
    rules: ['events.object.1', 'events.emission.1', 'events.list.1'],
    run: async (kit) => {
      const source = await kit.image()
      const open = await kit.open()
      await kit.abort(open.id)
      const ended = [
        await kit.succeed('images/read', { source }),
        await kit.finish('documents/read', { source }),
        (await kit.call('GET', `/v1/requests/${open.id}`)).body,
      ]
      for (const request of ended) {
        const { body } = await kit.call('GET', `/v1/events?request_id=${request.id}`)
        equal([body.object, body.has_more, body.data.length], ['list', false, 1], 'events of one request')
        const [event] = body.data
        match(event.id, /^evt_\w+$/, 'id')
        equal([event.object, event.type], ['event', `request.${request.status}`], 'object and type')
        inRange(event.created - Date.parse(request.completed_at) / 1000, -2, 2, 'created, compared with completed_at')
        equal(event.data, request, 'data')
        if (kit.account.webhook_url === null)
          equal(event.delivery, { url: null, status: 'unaddressed', attempts: 0 }, 'delivery')
      }
    },
  },
  {
    title:
      'events are listed oldest first, each once and without gaps, from the event after the cursor on; an invalid cursor returns 422',
    rules: ['events.list.3'],
    run: async (kit) => {
      const source = await kit.image()
      const first = await kit.succeed('images/read', { source })
      const start = (await kit.call('GET', `/v1/events?request_id=${first.id}`)).body.data[0].id
      const made: number[] = []
      for (let count = 0; count < 3; count += 1) made.push((await kit.succeed('images/read', { source })).id)
      const seen: number[] = []
      let after = start
      for (let more = true; more; ) {
        const { body } = await kit.call('GET', `/v1/events?limit=2&after=${after}`)
        seen.push(...body.data.map(({ data }: Json) => data.id))
        after = body.data.at(-1)?.id ?? after
        more = body.has_more
      }
      equal(
        seen.filter((id) => made.includes(id)),
        made,
        'events after the first, in order',
      )
      equal(new Set(seen).size, seen.length, 'no event twice')
      for (const wrong of ['evt_none', 'x'])
        await kit.rejects(kit.call('GET', `/v1/events?after=${wrong}`), 422, 'validation_failed', 'after')
      for (const limit of ['0', '101'])
        await kit.rejects(kit.call('GET', `/v1/events?limit=${limit}`), 422, 'validation_failed', 'limit')
      await kit.rejects(kit.call('GET', '/v1/events?request_id=x'), 422, 'validation_failed', 'request_id')
    },
  },
  {
    title: 'a key lists the events of its account in both modes, live and test',
    needs: ['live', 'test'],
    rules: ['events.list.6', 'events.list.4'],
    run: async (kit) => {
      const { id } = await kit.succeed('images/read', { source: await kit.image() })
      const { body } = await kit.call('GET', `/v1/events?request_id=${id}`, { key: kit.key('test') })
      equal(
        body.data.map(({ data }: Json) => data.id),
        [id],
        'an event, listed by the other key',
      )
    },
  },
  {
    title:
      'a long poll for events returns an empty list when its time is over, and otherwise the next event when it occurs',
    rules: ['events.list.5'],
    alone: true,
    run: async (kit) => {
      const source = await kit.image()
      const first = await kit.succeed('images/read', { source })
      const after = (await kit.call('GET', `/v1/events?request_id=${first.id}`)).body.data[0].id
      const empty = await kit.call('GET', `/v1/events?after=${after}`, { headers: { prefer: 'wait=1' } })
      equal([empty.body.data, empty.headers.get('preference-applied')], [[], 'wait=1'], 'a list that stays empty')
      const held = kit.call('GET', `/v1/events?after=${after}`, { headers: { prefer: 'wait=20' } })
      const next = await kit.succeed('images/read', { source })
      const at = Date.now()
      equal(
        (await held).body.data.map(({ data }: Json) => data.id),
        [next.id],
        'the events of a long poll',
      )
      inRange(Date.now() - at, 0, 5000, 'milliseconds after the completion of the request')
    },
  },
  {
    title: 'an event is posted once to the webhook_url of its request, as JSON, and signed with the webhook secret',
    needs: ['receiver', 'secret'],
    rules: [
      'webhooks.deliveries.1',
      'webhooks.headers.1',
      'webhooks.signature.1',
      'webhooks.signature.2',
      'events.emission.2',
    ],
    run: async (kit) => {
      const receiver = kit.receiver.open((response) => void response.writeHead(202).end())
      const request = await kit.succeed('images/read', { source: await kit.image(), webhook_url: receiver.url })
      const [post] = await receiver.arrived(1)
      ok(post !== undefined, 'a POST')
      equal([post.method, post.headers['service-delivery-attempt']], ['POST', '1'], 'the attempt')
      match(post.headers['content-type'], /^application\/json/, 'its type')
      const event = JSON.parse(post.raw.toString())
      equal([event.type, event.data], ['request.succeeded', request], 'the event')
      equal(
        [post.headers['service-event-id'], post.headers['service-event-type']],
        [event.id, event.type],
        'its headers',
      )
      checkSignature(post, kit.secret)
      for (let tries = 0; ; tries += 1) {
        const { body } = await kit.call('GET', `/v1/events?request_id=${request.id}`)
        const { delivery } = body.data[0]
        if (delivery.status === 'pending' && tries < 40) await new Promise((resolve) => setTimeout(resolve, 250))
        else {
          equal(
            [delivery, receiver.received.length],
            [{ url: receiver.url, status: 'delivered', attempts: 1 }, 1],
            'delivery',
          )
          break
        }
      }
    },
  },
  {
    title:
      'a webhook delivery that gets no 2xx status is retried after about 4, 5, and 7 s, and then becomes undelivered',
    needs: ['receiver', 'secret', 'time'],
    rules: ['webhooks.deliveries.2', 'webhooks.deliveries.3', 'webhooks.deliveries.4', 'webhooks.signature.3'],
    run: async (kit) => {
      const target = kit.receiver.open((response) => void response.end())
      const receiver = kit.receiver.open((response, _call, count) => {
        if (count === 0) response.writeHead(302, { location: target.url }).end()
        else response.writeHead(count === 1 ? 404 : 500).end()
      })
      const request = await kit.succeed('images/read', { source: await kit.image(), webhook_url: receiver.url })
      const posts = await receiver.arrived(4)
      const gaps = posts.slice(1).map(({ at }, index) => (at - (posts[index]?.at ?? 0)) / 1000)
      ok(
        gaps.every((gap, index) => Math.abs(gap - ([4, 5, 7][index] ?? 0)) < 1.6),
        'the gaps of the retries',
        gaps,
      )
      equal(
        posts.map(({ headers }) => headers['service-delivery-attempt']),
        ['1', '2', '3', '4'],
        'the attempts',
      )
      equal(new Set(posts.map(({ raw }) => JSON.parse(raw.toString()).id)).size, 1, 'ids of one event')
      for (const post of posts) checkSignature(post, kit.secret)
      equal(target.received.length, 0, 'calls to the target of a redirect')
      for (let tries = 0; ; tries += 1) {
        const { body } = await kit.call('GET', `/v1/events?request_id=${request.id}`)
        const { delivery } = body.data[0]
        if (delivery.status === 'pending' && tries < 40) await new Promise((resolve) => setTimeout(resolve, 250))
        else {
          equal([delivery.status, delivery.attempts], ['undelivered', 4], 'the delivery after the fourth attempt')
          break
        }
      }
    },
  },
  {
    title: 'a webhook delivery without a response ends after 10 s, and is then retried',
    needs: ['receiver', 'time'],
    rules: ['webhooks.deliveries.2'],
    run: async (kit) => {
      const receiver = kit.receiver.open((response, _call, count) => void (count > 0 && response.end()))
      await kit.succeed('images/read', { source: await kit.image(), webhook_url: receiver.url })
      const [first, second] = await receiver.arrived(2)
      inRange(
        ((second?.at ?? 0) - (first?.at ?? 0)) / 1000,
        12.5,
        17,
        'seconds until a delivery without a response is retried',
      )
    },
  },
])

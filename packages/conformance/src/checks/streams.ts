import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'

type ReceivedEvent = { id: number; event: string; data: Json }

const eventsIn = (text: string): ReceivedEvent[] =>
  text
    .split('\n\n')
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      return { id: Number(field('id')), event: field('event') ?? '', data: JSON.parse(field('data') ?? 'null') }
    })
    .filter(({ data }) => data !== null)

export const STREAMS = checksOf([
  {
    title: 'an event stream sends the current request, then each change, and closes when the request has finished',
    rules: ['streams.events.1', 'streams.events.2'],
    run: async (kit) => {
      const open = await kit.open()
      const stream = kit.call('GET', `/v1/requests/${open.id}/events`)
      await new Promise((resolve) => setTimeout(resolve, 500))
      const aborted = await kit.abort(open.id)
      const { status, headers, bytes } = await stream
      equal([status, headers.get('content-type')?.split(';')[0]], [200, 'text/event-stream'], 'the stream')
      const received = eventsIn(bytes.toString())
      ok(received.length >= 2, 'the stream sends the current and the final state', received.length)
      equal([...new Set(received.map(({ event }) => event))], ['request.updated'], 'the name of each event')
      const ids = received.map(({ id }) => id)
      equal(
        ids,
        [...new Set(ids)].toSorted((a, b) => a - b),
        'versions that only increase',
      )
      if (aborted.status === 200) equal(received.at(-1)?.data, aborted.body, 'the last event')
      ok(['queued', 'processing'].includes(received[0]?.data.status), 'the first event', received[0]?.data.status)
    },
  },
  {
    title:
      'with Last-Event-ID, an event stream sends only newer states, and returns 204 if the client already has the final state',
    rules: ['streams.reconnect.1', 'streams.limits.3'],
    run: async (kit) => {
      const ended = await kit.succeed('images/read', { source: await kit.image() })
      const path = `/v1/requests/${ended.id}/events`
      const [received, ...more] = eventsIn((await kit.call('GET', path)).bytes.toString())
      equal([received?.data, more.length], [ended, 0], 'the stream of a request that has ended')
      const again = await kit.call('GET', path, { headers: { 'last-event-id': String(received?.id) } })
      equal([again.status, again.bytes.length], [204, 0], 'a client that has received the final event')
      for (const seen of ['0', 'evt_1', '102', '999']) {
        const older = await kit.call('GET', path, { headers: { 'last-event-id': seen } })
        const states = eventsIn(older.bytes.toString()).map(({ data }) => data.status)
        equal(states, ['succeeded'], `a client with fewer events, or with an unknown Last-Event-ID: ${seen}`)
      }
      equal((await kit.call('HEAD', path)).status, 404, 'HEAD')
    },
  },
  {
    title: 'if nothing changes for 15 s, an event stream sends a comment',
    needs: ['receiver', 'time'],
    rules: ['streams.events.3'],
    run: async (kit) => {
      const stalled = kit.receiver.open((response) => {
        response.writeHead(200, { 'content-type': 'image/png' })
        const timer = setInterval(() => void response.write(Buffer.alloc(1024)), 2000)
        response.on('close', () => clearInterval(timer))
      })
      const { id } = await kit.start('images/process', { source: stalled.url, operations: [{ type: 'flip' }] })
      const stream = kit.call('GET', `/v1/requests/${id}/events`)
      await new Promise((resolve) => setTimeout(resolve, 18_000))
      await kit.abort(id)
      ok((await stream).bytes.includes(': ping'), 'a comment after 15 s')
    },
  },
])

import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import { sendSlowly } from '../kit/raw-call.ts'
import { colorAt, draw, WHITE } from '../media/image.ts'
import { writePdf } from '../media/pdf.ts'
import { encodeBlank, encodePng } from '../media/png.ts'

/** A call that sends the first of three bytes at the start, and the rest later. */
const SLOW = { method: 'POST', length: 3, first: 'a' } as const
const FLIP = [{ type: 'flip' }]

export const BOUNDS = checksOf([
  {
    title: 'images of more than 100 megapixels can be read, but not processed or used as a watermark',
    rules: ['limits.media.2', 'images.read.4', 'operations.watermark.1'],
    run: async (kit) => {
      const source = await kit.upload(encodeBlank(10_001, 10_000))
      equal((await kit.succeed('images/read', { source })).result.data.width, 10_001, 'width of a large image')
      await kit.fail('images/process', { source, operations: FLIP }, 'processing_failed', /100/)
      const operations = [...FLIP, { type: 'watermark', image_url: source, x: 0, y: 0 }]
      const failed = await kit.fail(
        'images/process',
        { source: await kit.image(), operations },
        'processing_failed',
        /100/,
      )
      equal(failed.error.operation, 1, 'the operation that failed')
    },
  },
  {
    title:
      'a document fails if it has more than 20,000 pages, or if a page has more than 100,000 copies of a watermark',
    rules: ['limits.media.1'],
    run: async (kit) => {
      const image_url = await kit.once('dot', () => kit.upload(encodePng(draw(1, 1, () => [0, 0, 0]))))
      const many = await kit.upload(writePdf(Array.from({ length: 20_001 }, () => [20, 20] as const)))
      const mark = { type: 'watermark', image_url, x: 0, y: 0 }
      await kit.fail('documents/process', { source: many, operations: [mark] }, 'processing_failed', /20[,.]?000/)
      const page = await kit.upload(writePdf([[400, 400]]))
      const tiled = [{ ...mark, tile_spacing_x: 1, tile_spacing_y: 1 }]
      await kit.fail('documents/process', { source: page, operations: tiled }, 'processing_failed', /100[,.]?000/)
    },
  },
  {
    title: 'a request is processing while its source is being downloaded, and an abort stops the download within 1.5 s',
    needs: ['receiver'],
    rules: ['requests.states.1', 'requests.abort.2'],
    run: async (kit) => {
      let closedAt = 0
      const stalled = kit.receiver.open((response) => void response.on('close', () => (closedAt = Date.now())))
      const { id } = await kit.start('images/read', { source: stalled.url })
      await stalled.arrived(1)
      const { body } = await kit.call('GET', `/v1/requests/${id}`)
      equal(
        [body.status, typeof body.started_at],
        ['processing', 'string'],
        'a request whose source is being downloaded',
      )
      await kit.abort(id)
      const abortedAt = Date.now()
      while (closedAt === 0 && Date.now() - abortedAt < 5000) await new Promise((resolve) => setTimeout(resolve, 50))
      ok(closedAt > 0 && closedAt - abortedAt < 1500, 'the download ends within 1 s of the abort', closedAt - abortedAt)
    },
  },
  {
    title: 'a snapshot shows the text of a PDF even if the PDF does not contain the font',
    rules: ['documents.fonts.1'],
    run: async (kit) => {
      const source = await kit.upload(writePdf([[300, 100]], { text: 'Sample' }))
      const image = await kit.pixels(await kit.succeed('documents/snapshot', { source, output: { format: 'png' } }))
      let dark = 0
      for (let at = 0; at < image.pixels.length; at += 4) if ((image.pixels[at] ?? 255) < 80) dark += 1
      ok(dark > 1000, 'a snapshot shows the text', dark)
    },
  },
  {
    title:
      'a watermark image is turned upright by its EXIF orientation, and an animated watermark is drawn as its first frame',
    needs: ['samples'],
    rules: ['operations.watermark.4'],
    run: async (kit) => {
      const ground = await kit.once('white image', () => kit.upload(encodePng(draw(100, 100, () => WHITE))))
      const wide = await kit.upload(encodePng(draw(40, 10, () => [0, 0, 0])))
      const jpg = await kit.file(
        await kit.succeed('images/process', { source: wide, operations: FLIP, output: { format: 'jpg' } }),
      )
      const exif = Buffer.from('ffe100224578696600004d4d002a00000008000101120003000000010006000000000000', 'hex')
      const image_url = await kit.upload(Buffer.concat([jpg.subarray(0, 2), exif, jpg.subarray(2)]))
      const drawn = await kit.drawn(ground, [{ type: 'watermark', image_url, x: 10, y: 10 }])
      ok(
        (colorAt(drawn, 15, 45)[0] ?? 255) < 60 && (colorAt(drawn, 45, 15)[0] ?? 0) > 200,
        'a watermark that is turned upright',
      )
      const animation = kit.sample('animation.gif')
      const flipped = { source: animation, operations: [...FLIP, ...FLIP], output: { format: 'png' } }
      const firstFrame = await kit.upload(await kit.file(await kit.succeed('images/process', flipped)))
      const [animated, still] = await Promise.all(
        [animation, firstFrame].map((url) => kit.drawn(ground, [{ type: 'watermark', image_url: url, x: 0, y: 0 }])),
      )
      equal(animated, still, 'an animation as a watermark')
    },
  },
  {
    title: 'a request is processed even if its client disconnects during a long poll',
    rules: ['waiting.prefer.4'],
    run: async (kit) => {
      const customer = `hangs-up-${Math.random()}`
      const operations = [{ type: 'resize', width: 4000, height: 4000 }]
      const body = { source: await kit.image(), operations, customer, output: { format: 'webp' } }
      const signal = AbortSignal.timeout(60)
      await kit
        .call('POST', '/v1/images/process', { body, headers: { prefer: 'wait=30' }, signal })
        .catch(() => undefined)
      for (let tries = 0; tries < 100; tries += 1) {
        const [found] = (await kit.call('GET', `/v1/requests?customer=${customer}`)).body.data
        if (found !== undefined) {
          equal((await kit.settled(found)).status, 'succeeded', 'the status of a request whose client disconnected')
          return
        }
        // If the client disconnects before the server has read the call, the server starts no request.
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
  },
  {
    title: 'an account can send twenty uploads at the same time, and a further upload returns 429',
    needs: ['small'],
    rules: ['uploads.size.3'],
    alone: true,
    run: async (kit) => {
      const url = `${kit.caller.baseUrl}/v1/uploads`
      const open = Array.from({ length: 21 }, () => sendSlowly(url, { ...SLOW, key: kit.key('small') }))
      const first = await Promise.race(open.map(({ status }) => status))
      equal(first, 429, 'the first response to 21 concurrent bodies')
      for (const { end } of open) end('bc')
      const statuses = await Promise.all(open.map(({ status }) => status))
      ok(statuses.filter((status) => status !== 201).length <= 1, 'the other twenty uploads are accepted', statuses)
    },
  },
  {
    title: 'the service ends an upload whose body stalls for about 20 s',
    needs: ['time'],
    rules: ['uploads.size.4'],
    run: async (kit) => {
      const startedAt = Date.now()
      const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), 35_000).unref())
      const status = await Promise.race([
        sendSlowly(`${kit.caller.baseUrl}/v1/uploads`, { ...SLOW, key: kit.caller.key }).status,
        late,
      ])
      ok(status !== 'late' && status !== 201, 'the response to a body that stops', status ?? 'nothing')
      ok(Date.now() - startedAt > 15_000, 'the service waits 20 s before it responds', Date.now() - startedAt)
    },
  },
  {
    title:
      'event streams and long polls share one limit; a stream above the limit sends the current state and a retry interval',
    needs: ['small', 'receiver'],
    rules: ['streams.limits.1', 'waiting.limits.1'],
    alone: true,
    run: async (kit) => {
      const key = kit.key('small')
      const most = 2 * (await kit.call('GET', '/v1/account', { key })).body.limits.concurrent_requests
      const { id } = await kit.open({ key })
      const streams = Array.from({ length: most }, () => kit.call('GET', `/v1/requests/${id}/events`, { key }))
      await new Promise((resolve) => setTimeout(resolve, 700))
      const held = await kit.call('GET', `/v1/requests/${id}`, { key, headers: { prefer: 'wait=5' } })
      equal(held.headers.get('preference-applied'), null, 'a long poll while streams use the whole limit')
      const events = await kit.call('GET', '/v1/events?after=', { key, headers: { prefer: 'wait=5' } })
      equal(events.headers.get('preference-applied'), null, 'a list of events while streams use the whole limit')
      const one = await kit.call('GET', `/v1/requests/${id}/events`, { key })
      ok(
        one.bytes.includes('retry: 15000') && one.bytes.includes('request.updated'),
        'one stream more',
        one.bytes.toString(),
      )
      await kit.abort(id, { key })
      await Promise.all(streams)
    },
  },
])

import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'
import { writePdf } from '../media/pdf.ts'

const bodyOf = async (kit: Kit, url: string, headers?: object) => ({
  source: await kit.image(),
  operations: [{ type: 'flip' }],
  output: { format: 'png', destination: { url, ...(headers && { headers }) } },
})

export const DESTINATIONS = checksOf([
  {
    title:
      'a result is uploaded to its destination with the given headers, and also stored; the input of the request shows no secrets',
    needs: ['receiver'],
    rules: ['destinations.headers.1', 'destinations.files.1', 'destinations.secrets.1'],
    run: async (kit) => {
      const receiver = kit.receiver.open((response) => void response.writeHead(200).end())
      const headers = { 'content-type': 'image/png', 'cache-control': 'no-store', 'x-amz-meta-order': '7' }
      const request = await kit.succeed(
        'images/process',
        await bodyOf(kit, `${receiver.url}?X-Amz-Signature=secret`, headers),
      )
      const [put] = receiver.received
      equal([receiver.received.length, put?.method], [1, 'PUT'], 'the calls to the destination')
      for (const [name, value] of Object.entries(headers)) equal(put?.headers[name], value, `the header ${name}`)
      ok(put?.raw.equals(await kit.file(request)) === true, 'the uploaded file equals the stored file')
      const shown = request.input.output.destination
      equal(
        [shown.url, Object.keys(shown.headers ?? {}).toSorted()],
        [receiver.url, ['cache-control', 'content-type']],
        'input',
      )
    },
  },
  {
    title:
      'if a destination rejects the result four times, the request fails free of charge, and the message has the status of the destination',
    needs: ['receiver', 'time'],
    rules: ['destinations.attempts.1', 'destinations.attempts.2'],
    run: async (kit) => {
      const receiver = kit.receiver.open((response) => void response.writeHead(403).end())
      const failed = await kit.fail('images/process', await bodyOf(kit, receiver.url), 'processing_failed', /403/)
      equal([receiver.received.length, failed.price.micro_usd], [4, 0], 'tries and price')
      const gaps = receiver.received.slice(1).map(({ at }, index) => (at - (receiver.received[index]?.at ?? 0)) / 1000)
      ok(
        gaps.every((gap, index) => Math.abs(gap - ([4, 5, 7][index] ?? 0)) < 2.5),
        'the attempts follow after about 4, 5, and 7 s',
        gaps,
      )
    },
  },
  {
    title: 'documents/snapshot accepts a destination, and the read endpoints reject a destination',
    needs: ['receiver'],
    rules: ['destinations.fields.1'],
    run: async (kit) => {
      const receiver = kit.receiver.open((response) => void response.writeHead(200).end())
      const output = { destination: { url: receiver.url } }
      await kit.succeed('documents/snapshot', { source: await kit.upload(writePdf([[50, 50]])), output })
      equal(receiver.received.length, 1, 'uploads of a snapshot')
      for (const endpoint of ['images/read', 'videos/read', 'documents/read'])
        await kit.invalid(endpoint, { source: await kit.image(), output }, 'output', 'unknown_parameter')
    },
  },
  {
    title:
      'a destination is rejected if its URL is invalid, blocked, or expired, or if one of its headers is not allowed',
    rules: ['destinations.url.1', 'destinations.headers.1'],
    run: async (kit) => {
      const post = async (url: string, headers?: object) =>
        kit.call('POST', '/v1/images/process', { body: await bodyOf(kit, url, headers) })
      for (const [url, code] of [
        ['http://10.0.0.1/a?sig=secret', 'url_blocked'],
        ['ftp://example.com/a?sig=secret', 'url_invalid'],
        ['https://user:secret@example.com/a', 'url_invalid'],
        ['https://no-such-name.invalid/a?sig=secret', 'url_unresolvable'],
        ['https://example.com/a?X-Amz-Date=20200101T000000Z&X-Amz-Expires=60&X-Amz-Signature=secret', 'url_invalid'],
        ['https://example.com/a?X-Goog-Date=20200101T000000Z&X-Goog-Expires=60&sig=secret', 'url_invalid'],
      ] as const) {
        const error = await kit.rejects(post(url), 422, code, 'output.destination.url')
        ok(!JSON.stringify(error).includes('secret'), 'an error repeats no signature', error)
      }
      await kit.rejects(post('https://example.com/a', { authorization: 'Bearer x' }), 422, 'validation_failed')
      await kit.rejects(post('https://example.com/a', { 'content-type': 'a\nb' }), 422, 'validation_failed')
      const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-amz-meta-${n}`, 'a']))
      await kit.rejects(post('https://example.com/a', many), 422, 'validation_failed')
    },
  },
])

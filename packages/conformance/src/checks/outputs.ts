import { createHash, randomUUID } from 'node:crypto'
import type { CallResponse } from '../kit/call-response.ts'
import { checksOf } from '../kit/check.ts'
import { equal, match, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'
import { draw, quarters } from '../media/image.ts'
import { writePdf } from '../media/pdf.ts'
import { encodePng } from '../media/png.ts'

const resize = (width: number, height: number) => ({ type: 'resize', width, height })

/** Returns a PNG of noise, so that the file size depends on the quality. */
const noise = () =>
  encodePng(draw(640, 480, (x, y) => [(x * 37 + y * 91) % 256, (x * 113 + y * 29) % 256, (x * y * 7) % 256]))

/** Sends a form. A string in `fields` is a text field, and a buffer is a PNG file. */
async function sendForm(kit: Kit, fields: Record<string, string | Buffer>, headers: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'picture.png')
  }
  const body = new Response(form)
  return await kit.call('POST', '/v1/images/process', {
    body: Buffer.from(await body.arrayBuffer()),
    headers: { 'content-type': body.headers.get('content-type') ?? '', ...headers },
  })
}

const FLIP = JSON.stringify([{ type: 'flip' }])

async function holdsBytes(kit: Kit, response: CallResponse, type: string): Promise<void> {
  equal([response.status, response.headers.get('content-type')], [200, type], 'a result as the body of a response')
  const digest = createHash('sha256').update(response.bytes).digest('base64')
  equal(response.headers.get('repr-digest'), `sha-256=:${digest}:`, 'Repr-Digest')
  const { body: request } = await kit.call('GET', `/v1/requests/${response.headers.get('mediamill-request')}`)
  equal(
    [request.status, request.result.files[0].size],
    ['succeeded', response.bytes.length],
    'the record of the result',
  )
  equal(response.headers.get('mediamill-price'), request.price.amount, 'Mediamill-Price')
  const name = `inline; filename="${request.id}.${type.replace('image/', '')}"`
  equal(response.headers.get('content-disposition'), name, 'Content-Disposition')
}

export const OUTPUTS = checksOf([
  {
    title: 'a request with outputs makes several files of one source, in order, each with its own name, size, and link',
    rules: ['outputs.operations.1', 'outputs.files.1', 'outputs.files.2', 'outputs.price.1', 'outputs.quality.1'],
    run: async (kit) => {
      const source = await kit.image()
      const body = {
        source,
        operations: [resize(40, 30)],
        outputs: [
          { name: 'large', format: 'png' },
          { format: 'jpg', operations: [resize(20, 15)], quality: 60 },
          { name: 'tiny', format: 'webp', operations: [resize(8, 6)] },
        ],
      }
      const request = await kit.succeed('images/process', body)
      const { files, data } = request.result
      equal(
        files.map(({ name, format, width, height }: Record<string, unknown>) => [name, format, width, height]),
        [
          ['large', 'png', 40, 30],
          ['1', 'jpg', 20, 15],
          ['tiny', 'webp', 8, 6],
        ],
        'the files',
      )
      equal([data.width, data.height], [40, 30], 'result.data describes the first file')
      const single = await kit.succeed('images/process', { source, operations: [{ type: 'flip' }] })
      equal(Number(request.price.amount), 3 * Number(single.price.amount), 'the price of three files')
      const { body: estimate } = await kit.call('POST', '/v1/images/process/estimate', { body })
      equal(estimate.units, { minimum: 3, maximum: 3 }, 'the units of an estimate')
      for (const file of files) {
        const link = await kit.call('GET', file.url, { key: null })
        const { bytes } = await kit.call('GET', new URL(link.headers.get('location') ?? '', file.url).href, {
          key: null,
        })
        equal(createHash('sha256').update(bytes).digest('hex'), file.sha256, `the bytes of ${file.name}`)
      }
      const [large, , tiny] = files.map(({ url }: { url: string }) => url)
      for (const swapped of [tiny.replace('file=tiny', 'file=1'), tiny.replace('file=tiny&', ''), `${large}&file=tiny`])
        await kit.rejects(kit.call('GET', swapped, { key: null }), 403, 'invalid_signature')
      const further = await kit.succeed('images/read', { source: files[2].url })
      equal([further.result.data.width, further.result.data.height], [8, 6], 'a further file as a source')
    },
  },
  {
    title: 'a request can have 1 to 20 outputs with unique names, and cannot have both outputs and output',
    rules: ['outputs.fields.1', 'outputs.operations.2', 'images.process.6'],
    run: async (kit) => {
      const source = await kit.image()
      const operations = [{ type: 'flip' }]
      const both = { source, operations, outputs: [{}], output: { format: 'png' } }
      await kit.invalid('images/process', both, 'output', 'invalid_value')
      await kit.invalid('images/process', { source, outputs: [] }, 'outputs', 'too_short')
      const many = Array.from({ length: 21 }, () => ({}))
      await kit.invalid('images/process', { source, outputs: many }, 'outputs', 'too_long')
      const twice = [{ name: 'a' }, { name: 'a' }]
      await kit.invalid('images/process', { source, outputs: twice }, 'outputs.1.name', 'invalid_value')
      await kit.invalid('images/process', { source }, 'operations', 'required')
      await kit.succeed('images/process', { source, outputs: [{}] })
    },
  },
  {
    title: 'if an output fails, its request fails free of charge, and the error names the output and the operation',
    rules: ['outputs.failure.1'],
    run: async (kit) => {
      const crop = { type: 'crop', x: 5000, y: 0, width: 10, height: 10 }
      const outputs = [{ name: 'good' }, { name: 'bad', operations: [{ type: 'flip' }, crop] }]
      const { error, price } = await kit.fail(
        'images/process',
        { source: await kit.image(), outputs },
        'processing_failed',
      )
      equal([error.output, error.operation, Number(price.amount)], ['bad', 1, 0], 'the error and the price')
    },
  },
  {
    title: 'an avif file is available as an output, keeps transparency, and has at most 4,096 pixels per side',
    rules: ['outputs.avif.1', 'outputs.avif.2'],
    run: async (kit) => {
      const clear = draw(16, 16, (x) => [200, 30, 40, x < 8 ? 0 : 255])
      const source = await kit.upload(encodePng(clear))
      const request = await kit.succeed('images/process', { source, outputs: [{ format: 'avif' }] })
      const [{ format, url }] = request.result.files
      equal(format, 'avif', 'the format')
      const { pixels } = await kit.drawn(url, [{ type: 'grayscale' }])
      ok((pixels[3] ?? 255) <= 4, 'its first pixel is transparent', pixels[3])
      const wide = [{ format: 'avif', operations: [resize(4097, 4097)] }]
      await kit.fail('images/process', { source, outputs: wide }, 'processing_failed', /4,096/)
    },
  },
  {
    title: 'a snapshot has outputs in jpg, png, and avif',
    rules: ['outputs.stills.1'],
    run: async (kit) => {
      const source = await kit.upload(writePdf([[200, 100]]))
      const outputs = [{ format: 'png' }, { name: 'small', format: 'avif', operations: [resize(50, 50)] }, {}]
      const { files } = (await kit.succeed('documents/snapshot', { source, outputs })).result
      const shown = files.map(({ name, format, width }: Record<string, unknown>) => [name, format, width])
      equal(shown[1], ['small', 'avif', 50], 'the second file')
      equal([shown[0][1], shown[2][1], shown[0][2] === shown[2][2]], ['png', 'jpg', true], 'the other files')
      const webp = { source, outputs: [{ format: 'webp' }] }
      await kit.invalid('documents/snapshot', webp, 'outputs.0.format', 'invalid_value')
    },
  },
  {
    title: 'the work limit of a request counts all outputs, and the additional encodings that max_bytes can require',
    rules: ['outputs.limits.1', 'outputs.limits.2'],
    run: async (kit) => {
      const source = await kit.image()
      const large = { type: 'resize', width: 9900, height: 9900, preserve_aspect_ratio: false }
      const many = Array.from({ length: 20 }, () => ({ format: 'png', operations: [large, large] }))
      await kit.fail('images/process', { source, outputs: many }, 'processing_failed', /2[,.]?000 megapixels/)
      const avif = { format: 'avif', operations: [{ ...large, width: 2300, height: 2300 }], max_bytes: 100_000 }
      await kit.fail('images/process', { source, outputs: [avif] }, 'processing_failed', /2[,.]?000 megapixels/)
    },
  },
  {
    title: 'each output is stored at its own destination',
    needs: ['receiver'],
    rules: ['outputs.destination.1'],
    run: async (kit) => {
      const receivers = [1, 2].map(() => kit.receiver.open((response) => void response.writeHead(200).end()))
      const outputs = receivers.map(({ url }, index) => ({
        format: index === 0 ? 'png' : 'webp',
        destination: { url },
      }))
      const { result } = await kit.succeed('images/process', { source: await kit.image(), outputs })
      receivers.forEach(({ received }, index) => {
        const digests = received.map(({ raw }) => createHash('sha256').update(raw).digest('hex'))
        equal(digests, [result.files[index].sha256], `the file at destination ${index}`)
      })
    },
  },
  {
    title: 'max_bytes lowers the quality of an output, and then its size only with max_bytes_resize',
    rules: ['outputs.max_bytes.1', 'outputs.max_bytes.2', 'outputs.max_bytes.3', 'outputs.auto.1'],
    run: async (kit) => {
      const source = await kit.upload(noise())
      const plain = await kit.succeed('images/process', { source, outputs: [{ quality: 90 }, { quality: 'auto' }] })
      const [{ size }] = plain.result.files
      const limit = Math.round(size * 0.7)
      const outputs = [
        { quality: 90, max_bytes: limit },
        { quality: 90, max_bytes: size },
      ]
      const { files } = (await kit.succeed('images/process', { source, outputs })).result
      ok(files[0].size <= limit, `max_bytes ${limit}`, files[0].size)
      equal([files[0].width, files[1].size], [640, size], 'a file that fits keeps its quality')
      const small = [{ max_bytes: 1000 }]
      await kit.fail('images/process', { source, outputs: small }, 'processing_failed', /(?<![\d,])[\d,]+ bytes/)
      const resized = [{ max_bytes: 1000, max_bytes_resize: true }]
      const [file] = (await kit.succeed('images/process', { source, outputs: resized })).result.files
      ok(file.size <= 1000 && file.width < 640, 'max_bytes_resize makes the image smaller', file)
      equal(Math.round((file.width / file.height) * 10), 13, 'the proportions')
    },
  },
  {
    title: 'a form with a file starts a request, and the same form with the same idempotency key returns this request',
    rules: ['direct.files.1', 'direct.files.2', 'direct.files.3', 'direct.parts.1', 'direct.parts.3'],
    run: async (kit) => {
      const fields = {
        source: encodePng(quarters()),
        request: JSON.stringify({
          operations: [{ type: 'watermark', image_url: 'part:logo', x: 0, y: 0 }],
          output: { format: 'png' },
        }),
        logo: encodePng(quarters(8, 6)),
      }
      const headers = { prefer: 'wait=55', 'idempotency-key': randomUUID() }
      const first = await sendForm(kit, fields, headers)
      equal(first.status, 200, 'a form')
      const request = await kit.settled(first.body)
      equal(request.status, 'succeeded', 'the request of a form')
      match(request.input.operations[0].image_url, /^upload:upl_/, 'a further file in the record')
      const again = await sendForm(kit, fields, headers)
      equal([again.body.id, again.headers.get('idempotent-replayed')], [request.id, 'true'], 'the same form again')
      const upload = `/v1/uploads/${request.input.operations[0].image_url.slice('upload:'.length)}`
      for (let tries = 0; (await kit.call('GET', upload)).status !== 404; tries += 1) {
        ok(tries < 40, 'the upload of a form is deleted after the request')
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    },
  },
  {
    title: 'a form is rejected if it has no source, an unused file, a reference to a missing file, or invalid JSON',
    rules: ['direct.parts.2'],
    run: async (kit) => {
      const source = encodePng(quarters())
      const watermark = JSON.stringify([{ type: 'watermark', image_url: 'part:none', x: 0, y: 0 }])
      for (const fields of [
        { operations: FLIP },
        { source, operations: FLIP, unused: source },
        { source, operations: watermark },
        { source, operations: '[{' },
      ]) {
        await kit.rejects(sendForm(kit, fields), 422, 'validation_failed')
      }
    },
  },
  {
    title: 'with Prefer: wait and an Accept header that allows the type of the result, the response is the result file',
    rules: ['direct.bytes.1', 'direct.bytes.2', 'direct.bytes.3'],
    run: async (kit) => {
      const form = { source: encodePng(quarters()), operations: FLIP, output: '{"format":"webp"}' }
      const wait = { prefer: 'wait=55' }
      await holdsBytes(kit, await sendForm(kit, form, { ...wait, accept: 'image/*' }), 'image/webp')
      const body = { source: await kit.image(), operations: [{ type: 'flip' }], output: { format: 'png' } }
      const headers = { ...wait, accept: 'image/png' }
      await holdsBytes(kit, await kit.call('POST', '/v1/images/process', { body, headers }), 'image/png')
      for (const accept of ['*/*', 'application/json', 'application/pdf']) {
        const { status, body: record } = await sendForm(kit, form, { ...wait, accept })
        equal([status, record.status], [200, 'succeeded'], `a call with Accept: ${accept}`)
      }
      const crop = JSON.stringify([{ type: 'crop', x: 5000, y: 0, width: 9, height: 9 }])
      const failed = sendForm(kit, { ...form, operations: crop }, { ...wait, accept: 'image/*' })
      await kit.rejects(failed, 422, 'processing_failed')
    },
  },
])

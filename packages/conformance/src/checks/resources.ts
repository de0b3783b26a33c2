import { checksOf } from '../kit/check.ts'
import { equal, inRange, match, ok } from '../kit/expect.ts'
import { checkMoney } from '../kit/request-shape.ts'

const WEEK_MS = 7 * 86_400_000

export const RESOURCES = checksOf([
  {
    title: 'the field customer accepts 64 code points and no more, and created_at is the time of the call',
    rules: ['api.json.1', 'limits.fields.1'],
    run: async (kit) => {
      const source = await kit.image()
      const before = Date.now()
      const request = await kit.succeed('images/read', { source, customer: '🦊'.repeat(64) })
      equal(request.customer, '🦊'.repeat(64), 'customer is echoed')
      inRange(
        Date.parse(request.created_at),
        before - 30_000,
        Date.now() + 30_000,
        'created_at, by the clock of this machine',
      )
      await kit.invalid('images/read', { source, customer: '🦊'.repeat(65) }, 'customer', 'too_long')
    },
  },
  {
    title: 'the input of a request has exactly the fields that were sent, and no defaults',
    rules: ['requests.object.1', 'requests.object.2', 'requests.object.3', 'requests.object.7'],
    run: async (kit) => {
      const source = await kit.image()
      const operations = [{ type: 'rotate', degrees: 90 }]
      const metadata = { order: '1977', __proto__x: 'a', 'ein Wort': 'ü' }
      const sent = { source, operations, output: { format: 'png' }, customer: 'c-1', metadata }
      const { status, body: accepted, headers } = await kit.call('POST', '/v1/images/process', { body: sent })
      equal(status, 202, 'the status of an accepted call')
      equal(accepted.status, 'queued', 'its request is queued')
      equal(accepted.object, 'request', 'object')
      match(headers.get('location'), new RegExp(`/v1/requests/${accepted.id}$`), 'Location')
      const request = await kit.settled(accepted)
      equal([request.endpoint, request.livemode], ['images/process', kit.account.livemode], 'endpoint and livemode')
      equal(
        [request.source, request.customer, request.metadata],
        [source, 'c-1', metadata],
        'source, customer, and metadata of the response',
      )
      equal(request.input, { operations, output: { format: 'png' } }, 'input')
      const bare = await kit.succeed('images/read', { source })
      equal(bare.input, {}, 'input of a read')
      for (const name of ['customer', 'metadata', 'error'])
        ok(!(name in bare), `${name} is present only if it was sent`)
    },
  },
  {
    title: 'a result has a link to a file with the given size and digest, which is valid for seven days',
    rules: ['requests.files.1', 'requests.object.6', 'results.links.1'],
    run: async (kit) => {
      const { createHash } = await import('node:crypto')
      const source = await kit.image()
      const body = { source, operations: [{ type: 'grayscale' }], output: { format: 'webp' } }
      const request = await kit.succeed('images/process', body)
      const [file] = request.result.files
      const bytes = await kit.file(request)
      equal(
        [file.size, file.sha256],
        [bytes.length, createHash('sha256').update(bytes).digest('hex')],
        'size and sha256',
      )
      equal(file.format, 'webp', 'format')
      equal(file.url_expires_at, request.result.deleted_at, 'url_expires_at is the time of the deletion')
      equal(
        Date.parse(request.result.deleted_at) - Date.parse(request.completed_at),
        WEEK_MS,
        'files are kept for 7 days',
      )
      equal(
        new URL(file.url).searchParams.get('expires'),
        String(Math.floor(Date.parse(file.url_expires_at) / 1000)),
        'the link contains its expiry time',
      )
      const read = await kit.succeed('images/read', { source })
      ok((read.result.files ?? []).length === 0, 'a read makes no file', read.result)
      match(read.result.deleted_at, /Z$/, 'a read has deleted_at too')
    },
  },
  {
    title: 'the error of a failed request has a code, a fix, and the index of the failed operation',
    rules: ['errors.failures.1', 'errors.failures.2', 'errors.failures.3'],
    run: async (kit) => {
      const operations = [{ type: 'flip' }, { type: 'crop', x: 5000, y: 0, width: 10, height: 10 }]
      const failed = await kit.fail('images/process', { source: await kit.image(), operations }, 'processing_failed')
      equal(failed.error.operation, 1, 'the operation that failed')
      const page = await kit.call('GET', failed.error.doc_url, { key: null })
      equal(page.status, 200, 'doc_url leads to a page')
      ok(page.bytes.includes('id="processing_failed"'), 'the page has an anchor of the code')
    },
  },
  {
    title: 'the progress of a video request only increases and stays below 100',
    needs: ['paid', 'samples'],
    rules: ['requests.object.4'],
    run: async (kit) => {
      const operations = Array.from({ length: 4 }, (_, index) => ({
        type: 'resize',
        width: 1600 - 2 * index,
        height: 900,
      }))
      let request = await kit.start('videos/process', { source: kit.sample('clip.mp4'), operations })
      const seen: number[] = []
      while (request.status === 'queued' || request.status === 'processing') {
        if (request.status === 'processing') {
          ok('progress' in request, 'a video that is processed shows progress', request)
          seen.push(request.progress)
        }
        const { body } = await kit.call('GET', `/v1/requests/${request.id}`)
        request = body
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
      equal(request.status, 'succeeded', 'its end')
      equal(
        seen,
        seen.toSorted((a, b) => a - b),
        'progress never decreases',
      )
    },
  },
  {
    title: 'every amount of money is equal in its dollar fields and in its micro-dollar field',
    rules: ['billing.money.1'],
    run: async (kit) => {
      const { body } = await kit.call('GET', '/v1/account')
      for (const name of ['balance', 'held', 'available']) checkMoney(name, body[name])
      const { price } = await kit.succeed('images/read', { source: await kit.image() })
      checkMoney('price', price)
    },
  },
  {
    title: 'a list has the documented fields, and each item has at least seven fields of a request',
    rules: ['api.lists.1', 'requests.list.5'],
    run: async (kit) => {
      await kit.succeed('images/read', { source: await kit.image() })
      const { body } = await kit.call('GET', '/v1/requests?limit=5')
      equal([body.object, typeof body.has_more, Array.isArray(body.data)], ['list', 'boolean', true], 'a list')
      ok(body.data.length > 0, 'the list has the requests')
    },
  },
  {
    title: 'the account has the credit, the limits, and the mode of the key',
    rules: ['account.object.1', 'account.object.2'],
    run: async (kit) => {
      const open = await kit.open()
      const { body } = await kit.call('GET', '/v1/account')
      await kit.abort(open.id)
      if (open.livemode) ok(body.held.micro_usd > 0, 'an open request holds its price', body.held)
      equal([body.object, body.suspended], ['account', false], 'object and suspended')
      ok(Number.isInteger(body.id) && typeof body.name === 'string' && /@/.test(body.email), 'id, name and email', body)
      ok(['free', 'paid'].includes(body.tier), 'tier', body.tier)
      equal(body.livemode, kit.caller.key.startsWith('svc_live_'), 'livemode is the mode of the key')
      ok(body.webhook_url === null || /^https?:/.test(body.webhook_url), 'webhook_url', body.webhook_url)
      equal(
        body.available.micro_usd,
        body.balance.micro_usd - body.held.micro_usd,
        'available is balance minus held credit',
      )
      for (const name of ['requests_per_minute', 'concurrent_requests', 'max_source_bytes'])
        ok(Number.isInteger(body.limits[name]), `limits.${name}`, body.limits)
    },
  },
  {
    title: 'the catalog lists formats, operations, and parameters with their bounds',
    rules: ['catalog.data.1'],
    run: async (kit) => {
      const { body } = await kit.call('GET', '/v1/operations')
      equal(body.object, 'operations', 'object')
      equal(Object.keys(body.data), ['image', 'video', 'document'], 'the media')
      equal(body.data.image.formats, ['jpg', 'png', 'webp', 'gif', 'tif'], 'formats of images, the default first')
      equal([body.data.video.formats, body.data.document.formats], [['mp4'], ['pdf']], 'the other formats')
      const of = (medium: string) => Object.keys(body.data[medium].operations).toSorted()
      const all =
        'border compress crop exposure filter flip grayscale orient remove_background resize rotate sepia thumbnail watermark'
      equal(of('image').join(' '), all, 'operations of images')
      equal(of('video').join(' '), 'border crop flip grayscale resize rotate watermark', 'operations of videos')
      equal(of('document').join(' '), 'watermark', 'operations of documents')
      const { width } = body.data.image.operations.resize.params
      equal([width.type, width.required, width.minimum, width.maximum], ['integer', true, 1, 20_000], 'width of resize')
      equal(body.data.image.operations.resize.params.preserve_aspect_ratio.default, true, 'a default')
      equal(body.data.image.operations.filter.params.name.enum.length, 18, 'the filters')
      for (const { params, description } of Object.values<{
        params: Record<string, { description: string; required: boolean }>
        description: string
      }>(body.data.image.operations)) {
        ok(description.length > 5, 'an operation is described')
        for (const one of Object.values(params))
          ok(one.description.length > 5 && typeof one.required === 'boolean', 'a parameter is described', one)
      }
    },
  },
])

import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'
import { quarters } from '../media/image.ts'
import { writePdf } from '../media/pdf.ts'
import { encodePng } from '../media/png.ts'

const reject = (kit: Kit, source: string, code: string) =>
  kit.rejects(kit.call('POST', '/v1/images/read', { body: { source } }), 422, code, 'source')

export const SOURCES = checksOf([
  {
    title: 'malformed URLs are rejected as url_invalid in every URL field',
    rules: ['sources.urls.1', 'sources.urls.2', 'sources.urls.5'],
    run: async (kit) => {
      for (const url of [
        'ftp://example.com/a',
        'https://example.com:8443/a',
        'https://me:pw@example.com/a',
        'https:/example.com/a',
        'https:\\\\example.com\\a',
        'https://exa\tmple.com/',
        'example.com/a',
        'data:image/png;base64,AA',
        'https://',
      ])
        await reject(kit, url, 'url_invalid')
      const source = await kit.image()
      const webhook = { source, webhook_url: 'ftp://example.com/' }
      await kit.rejects(kit.call('POST', '/v1/images/read', { body: webhook }), 422, 'url_invalid', 'webhook_url')
      const operations = [{ type: 'flip' }, { type: 'watermark', image_url: 'ftp://example.com/', x: 0, y: 0 }]
      await kit.rejects(
        kit.call('POST', '/v1/images/process', { body: { source, operations } }),
        422,
        'url_invalid',
        'operations.1.image_url',
      )
    },
  },
  {
    title: 'hosts that are not public are rejected as url_blocked, and names without an address as url_unresolvable',
    rules: ['sources.urls.3', 'sources.urls.4', 'sources.urls.5'],
    run: async (kit) => {
      for (const host of [
        'localhost',
        '127.0.0.1',
        '127.1',
        '2130706433',
        '0x7f.1',
        '10.0.0.1',
        '192.168.1.1',
        '172.16.0.1',
        '169.254.169.254',
        '[::1]',
        '[fd00::1]',
        '[::ffff:10.0.0.1]',
        '0.0.0.0',
        'intranet',
        'a.local',
        'db.internal',
        'x.home.arpa',
        '100.64.0.1',
      ])
        await reject(kit, `http://${host}/a.jpg`, 'url_blocked')
      await reject(kit, 'https://no-such-name.invalid/a.jpg', 'url_unresolvable')
      const logo = { type: 'watermark', image_url: 'http://10.0.0.1/', x: 0, y: 0 }
      const body = { webhook_url: 'http://localhost/', operations: [logo, logo], source: 'http://10.0.0.1/' }
      const call = kit.call('POST', '/v1/images/process', { body })
      const error = await kit.rejects(call, 422, 'url_blocked', 'webhook_url')
      equal(
        error.errors.map(({ param }: { param: string }) => param),
        ['webhook_url', 'operations.0.image_url', 'operations.1.image_url', 'source'],
        'every rejected URL, in the order of the body',
      )
    },
  },
  {
    title: 'up to three redirects of a source URL are followed, each checked like the first URL',
    needs: ['receiver'],
    rules: ['sources.redirects.1', 'sources.urls.6'],
    run: async (kit) => {
      const png = encodePng(quarters())
      let { url } = kit.receiver.open((response) => void response.end(png))
      for (let hop = 1; hop <= 4; hop += 1) {
        const location = url
        ;({ url } = kit.receiver.open((response) => void response.writeHead(302, { location }).end()))
        if (hop === 3) await kit.succeed('images/read', { source: url })
        if (hop === 4) await kit.fail('images/read', { source: url }, 'source_unreachable')
      }
      for (const [location, code] of [
        ['http://169.254.169.254/latest', 'url_blocked'],
        ['ftp://example.com/', 'url_invalid'],
        ['https://no-such-name.invalid/', 'url_unresolvable'],
      ] as const) {
        const inside = kit.receiver.open((response) => void response.writeHead(302, { location }).end())
        await kit.fail('images/read', { source: inside.url }, code)
      }
    },
  },
  {
    title:
      'the format of a source is detected from its content; a 404 fails as source_unreachable, and a 5xx is retried once',
    needs: ['receiver'],
    rules: ['sources.formats.1', 'sources.download.1', 'sources.size.2'],
    run: async (kit) => {
      const png = encodePng(quarters())
      const named = kit.receiver.open(
        (response) => void response.writeHead(200, { 'content-type': 'application/pdf' }).end(png),
        '.pdf',
      )
      equal(
        (await kit.succeed('images/read', { source: named.url })).result.data.format,
        'PNG',
        'a PNG with the content type of a PDF',
      )
      equal(named.received[0]?.headers['accept-encoding'], 'identity', 'Accept-Encoding of the call')
      const gone = kit.receiver.open((response) => void response.writeHead(404).end())
      await kit.fail('images/read', { source: gone.url }, 'source_unreachable')
      equal(gone.received.length, 1, 'calls of a source that is not found')
      const shaky = kit.receiver.open(
        (response, _call, count) => void (count === 0 ? response.writeHead(500).end() : response.end(png)),
      )
      await kit.succeed('images/read', { source: shaky.url })
      const broken = kit.receiver.open((response) => void response.writeHead(503).end())
      await kit.fail('images/read', { source: broken.url }, 'source_unreachable')
      equal(broken.received.length, 2, 'calls of a source that fails')
    },
  },
  {
    title: 'a source above the size limit of the key fails with source_too_large',
    needs: ['receiver', 'test'],
    rules: ['sources.size.1', 'limits.sizes.1'],
    run: async (kit) => {
      const key = kit.key('test')
      const limit = 10 * 1024 * 1024
      const large = kit.receiver.open(
        (response) => void response.writeHead(200, { 'content-length': limit + 1 }).write('\x89PNG'),
      )
      const failed = await kit.finish('images/process', { source: large.url, operations: [{ type: 'flip' }] }, { key })
      equal([failed.status, failed.error?.code], ['failed', 'source_too_large'], 'its end')
      ok(/10 MB/.test(failed.error.message), 'the message names the limit', failed.error)
    },
  },
  {
    title:
      'a PDF with a password fails as encrypted_document, a damaged file as processing_failed, and a file of another media type as unsupported_media',
    rules: ['documents.passwords.1', 'sources.formats.2', 'sources.formats.3'],
    run: async (kit) => {
      const locked = await kit.upload(writePdf([[100, 100]], { lock: 'user' }))
      await kit.fail('documents/read', { source: locked }, 'encrypted_document')
      const owned = await kit.upload(writePdf([[100, 100]], { lock: 'owner' }))
      const metadata = (await kit.succeed('documents/read', { source: owned })).result.data
      equal([metadata.page_count, metadata.encrypted], [1, true], 'a PDF with only an owner password')
      const operations = [{ type: 'watermark', image_url: await kit.image(), x: 0, y: 0 }]
      const opened = await kit.succeed('documents/process', { source: owned, operations })
      const after = await kit.succeed('documents/read', { source: opened.result.files[0].url })
      equal(after.result.data.encrypted, false, 'the result of a PDF with an owner password')
      const whole = encodePng(quarters(600, 400))
      const cut = await kit.upload(whole.subarray(0, whole.length - 200))
      await kit.fail('images/process', { source: cut, operations: [{ type: 'flip' }] }, 'processing_failed')
      await kit.fail('documents/read', { source: await kit.image() }, 'unsupported_media', /image|picture|PNG/i)
      const pdf = await kit.upload(writePdf([[100, 100]]))
      await kit.fail('images/read', { source: pdf }, 'unsupported_media', /document|PDF/i)
    },
  },
  {
    title:
      'a request over a limit for work or image size fails with processing_failed, and the message names the limit',
    rules: ['limits.media.1', 'limits.media.3', 'limits.media.4'],
    run: async (kit) => {
      const source = await kit.image()
      const large = { type: 'resize', width: 9900, height: 9900, preserve_aspect_ratio: false }
      const work = { source, operations: Array.from({ length: 20 }, () => large), output: { format: 'gif' } }
      await kit.fail('images/process', work, 'processing_failed', /2[,.]?000 megapixels/)
      const huge = [{ type: 'resize', width: 20_000, height: 20_000, preserve_aspect_ratio: false }]
      await kit.fail('images/process', { source, operations: huge }, 'processing_failed', /100/)
      const wide = [{ type: 'resize', width: 16_384, height: 20, preserve_aspect_ratio: false }]
      await kit.fail(
        'images/process',
        { source, operations: wide, output: { format: 'webp' } },
        'processing_failed',
        /16[,.]?383/,
      )
      const within = [{ type: 'resize', width: 16_383, height: 20, preserve_aspect_ratio: false }]
      await kit.succeed('images/process', { source, operations: within, output: { format: 'webp' } })
    },
  },
])

import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import type { Kit } from '../kit/kit.ts'
import { colorAt, draw, RED, WHITE } from '../media/image.ts'
import { encodePng } from '../media/png.ts'

const stamp = async (kit: Kit, body: object): Promise<Json> => {
  const { status, body: made } = await kit.call('POST', '/v1/stamps', { body })
  equal(
    [status, made?.object, made?.status, made?.format],
    [201, 'upload', 'complete', 'PNG'],
    `a text watermark of ${JSON.stringify(body)} (${made?.error?.message ?? ''})`,
  )
  return made
}
const text = (more: object) => ({ type: 'text', text: 'Sample', ...more })

export const STAMPS = checksOf([
  {
    title: 'a text watermark is drawn with its font, size, color, outline, shadow, opacity, and rotation',
    rules: ['stamps.text.1', 'stamps.create.1', 'stamps.create.3'],
    run: async (kit) => {
      const before = (await kit.call('GET', '/v1/requests?limit=1')).body.data[0]?.id ?? 0
      const plain = await stamp(kit, text({ size: 48 }))
      ok(plain.width > 50 && plain.height > 20 && plain.height < 80, 'its size', plain)
      const size = async (more: object) => await stamp(kit, text({ size: 48, ...more }))
      ok((await size({ size: 96 })).width > plain.width * 1.7, 'a larger size is wider')
      ok((await size({ font: 'courier_prime_bold' })).width !== plain.width, 'another font')
      ok((await size({ text: 'Sample\nSample', align: 'right' })).height > plain.height * 1.5, 'two lines are higher')
      ok(
        (await size({ outline: { width: 10, color: 'f00' } })).width > plain.width + 8,
        'an outline surrounds the text',
      )
      ok((await size({ shadow: { x: 60, y: 60 } })).height > plain.height + 30, 'the shadow is outside the text')
      const turned = await size({ rotation: 90 })
      ok(turned.height > turned.width, 'a rotated text is higher', turned)
      const ground = await kit.once('white image', () => kit.upload(encodePng(draw(100, 100, () => WHITE))))
      const dark = async (more: object) => {
        const { source: image_url } = await stamp(kit, text({ text: '████', size: 60, color: '00f', ...more }))
        return colorAt(await kit.drawn(ground, [{ type: 'watermark', image_url, x: 0, y: 0 }]), 30, 30)
      }
      const [full, half] = [await dark({}), await dark({ opacity: 50 })]
      ok((full[0] ?? 255) < 10 && (full[2] ?? 0) > 245, 'its color', full)
      ok(Math.abs((half[0] ?? 0) - 128) < 8, 'half of its opacity', half)
      const after = (await kit.call('GET', '/v1/requests?limit=100')).body.data
      ok(
        !after.some(({ id, endpoint }: Json) => id > before && /stamp/.test(endpoint)),
        'a text watermark is in no list',
      )
    },
  },
  {
    title: 'a logo watermark is drawn with its width, trimmed, and rotated',
    rules: ['stamps.image.1', 'stamps.image.2'],
    run: async (kit) => {
      const framed = draw(60, 40, (x, y) => (x >= 10 && x < 50 && y >= 10 && y < 30 ? RED : WHITE))
      const source = await kit.upload(encodePng(framed))
      const sizeOf = ({ width, height }: Json) => [width, height]
      equal(sizeOf(await stamp(kit, { type: 'image', source })), [60, 40], 'as it is')
      equal(sizeOf(await stamp(kit, { type: 'image', source, width: 120 })), [120, 80], 'of a width')
      equal(sizeOf(await stamp(kit, { type: 'image', source, trim: true })), [40, 20], 'trimmed')
      equal(sizeOf(await stamp(kit, { type: 'image', source, rotation: 90 })), [40, 60], 'turned')
    },
  },
  {
    title: 'a text watermark whose text cannot be drawn returns 422, and the message names the problem',
    rules: ['stamps.fonts.1', 'stamps.text.2'],
    run: async (kit) => {
      const rejected = (body: object, param: string) =>
        kit.rejects(kit.call('POST', '/v1/stamps', { body }), 422, 'validation_failed', param)
      await rejected(text({ text: '' }), 'text')
      await rejected(text({ text: 'x'.repeat(201) }), 'text')
      await rejected(text({ size: 3 }), 'size')
      await rejected(text({ size: 1001 }), 'size')
      await rejected(text({ font: 'comic' }), 'font')
      await rejected(text({ color: 'blue' }), 'color')
      await rejected(text({ opacity: 0 }), 'opacity')
      await rejected(text({ rotation: 361 }), 'rotation')
      await rejected(text({ melt: 1 }), 'melt')
      const error = await rejected(text({ text: 'a\u{10330}' }), 'text')
      ok(/10330/i.test(error.message), 'the message names the character', error)
      await rejected({ type: 'image', source: await kit.upload(Buffer.from('no image')) }, 'source')
    },
  },
  {
    title: 'a logo watermark whose image cannot be fetched returns 422 with the error code of the URL or upload',
    rules: ['stamps.image.3'],
    run: async (kit) => {
      for (const [source, code] of [
        ['http://10.0.0.1/logo.png', 'url_blocked'],
        ['ftp://example.com/logo.png', 'url_invalid'],
        ['upload:upl_none', 'upload_not_found'],
      ] as const)
        await kit.rejects(kit.call('POST', '/v1/stamps', { body: { type: 'image', source } }), 422, code, 'source')
    },
  },
  {
    title: 'a text watermark in several scripts and directions is drawn with the bundled fonts',
    rules: ['stamps.text.3', 'stamps.fonts.2', 'stamps.fonts.3'],
    run: async (kit) => {
      const latin = await stamp(kit, text({ text: 'Sample' }))
      for (const words of [
        'Sample \u05d0\u05d1\u05d2',
        '\u0627\u0644\u0639\u200f\u200d',
        '\u76f4\u306e',
        '\uac00\u76f4',
        'Sample \u{1f642}',
      ])
        ok((await stamp(kit, text({ text: words }))).width > 8, `the width of ${JSON.stringify(words)}`)
      const mixed = await stamp(kit, text({ text: 'Sample \u{1f642}' }))
      ok(mixed.width > latin.width, 'an emoji is drawn after the text', [mixed.width, latin.width])
    },
  },
])

import { checksOf } from '../kit/check.ts'
import { equal, inRange, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'
import type { Color, Image } from '../media/image.ts'
import { colorAt, draw, isColor, WHITE } from '../media/image.ts'
import { writePdf } from '../media/pdf.ts'
import { encodePng } from '../media/png.ts'

const MARK: Color = [250, 120, 10]
const BLACK: Color = [0, 0, 0]

/** Returns the darkest red value near a position, because a thin line may be drawn across two pixels. */
const darkest = (image: Image, x: number, y: number) =>
  Math.min(...[-1, 0, 1].map((aside) => colorAt(image, x + aside, y)[0] ?? 255))

const white = (kit: Kit) => kit.once('white image', () => kit.upload(encodePng(draw(100, 100, () => WHITE))))
const mark = (kit: Kit) => kit.once('mark', () => kit.upload(encodePng(draw(10, 10, () => MARK))))

export const WATERMARKS = checksOf([
  {
    title: 'a watermark is drawn at x and y in its own size, even partly outside the image',
    rules: ['operations.watermark.1'],
    run: async (kit) => {
      const image_url = await mark(kit)
      const one = await kit.drawn(await white(kit), [{ type: 'watermark', image_url, x: 20, y: 30 }])
      equal([one.width, one.height], [100, 100], 'size')
      for (const [x, y, color] of [
        [20, 30, MARK],
        [29, 39, MARK],
        [19, 30, WHITE],
        [30, 30, WHITE],
        [20, 29, WHITE],
        [20, 40, WHITE],
      ] as const)
        ok(isColor(one, x, y, color), `the point ${x}, ${y}`, colorAt(one, x, y))
      const outside = await kit.drawn(await white(kit), [{ type: 'watermark', image_url, x: -5, y: 95 }])
      ok(
        isColor(outside, 4, 95, MARK) && isColor(outside, 5, 95, WHITE),
        'a watermark that is partly outside the image',
      )
      await kit.invalid(
        'images/process',
        { source: await white(kit), operations: [{ type: 'watermark', x: 1, y: 1 }] },
        'operations.0.image_url',
        'required',
      )
      const far = [{ type: 'watermark', image_url, x: 20_001, y: 0 }]
      await kit.invalid(
        'images/process',
        { source: await white(kit), operations: far },
        'operations.0.x',
        'out_of_range',
      )
    },
  },
  {
    title:
      'x and y of a watermark are measured from the edges that gravity names, and scale resizes the watermark relative to the image',
    rules: ['operations.watermark.6', 'operations.watermark.7'],
    run: async (kit) => {
      const image_url = await mark(kit)
      const source = await white(kit)
      const corner = { type: 'watermark', image_url, x: 10, y: 10, gravity: 'south_east', scale: 20 }
      const drawn = await kit.drawn(source, [corner])
      const side = Math.round(Math.min(drawn.width, drawn.height) / 5)
      const [right, bottom] = [drawn.width - 10, drawn.height - 10]
      for (const [x, y, color] of [
        [right - 2, bottom - 2, MARK],
        [right - side + 2, bottom - 2, MARK],
        [right + 2, bottom - 2, WHITE],
        [right - 2, bottom + 2, WHITE],
        [right - side - 3, bottom - 2, WHITE],
      ] as const)
        ok(isColor(drawn, x, y, color), `the point ${x}, ${y}`, colorAt(drawn, x, y))
      const wrong = [{ ...corner, gravity: 'bottom_right', scale: 101 }]
      await kit.invalid('images/process', { source, operations: wrong }, 'operations.0.gravity', 'invalid_value')
    },
  },
  {
    title:
      'a tiled watermark repeats only to the right and down, at the given distances, and in one row with only tile_spacing_x',
    rules: ['operations.watermark.2'],
    run: async (kit) => {
      const image_url = await mark(kit)
      const at = { type: 'watermark', image_url, x: 20, y: 20 }
      const tiled = await kit.drawn(await white(kit), [{ ...at, tile_spacing_x: 30, tile_spacing_y: 40 }])
      for (const [x, y, color] of [
        [20, 20, MARK],
        [50, 20, MARK],
        [80, 60, MARK],
        [40, 20, WHITE],
        [20, 40, WHITE],
        [0, 20, WHITE],
        [20, 0, WHITE],
      ] as const)
        ok(isColor(tiled, x + 2, y + 2, color), `tiles: the point ${x + 2}, ${y + 2}`, colorAt(tiled, x + 2, y + 2))
      const row = await kit.drawn(await white(kit), [{ ...at, tile_spacing_x: 30 }])
      ok(isColor(row, 52, 22, MARK) && isColor(row, 22, 62, WHITE), 'one spacing makes one row')
      const none = await kit.drawn(await white(kit), [{ ...at, tile_spacing_x: 0, tile_spacing_y: 0 }])
      ok(isColor(none, 22, 22, MARK) && isColor(none, 52, 22, WHITE), 'a spacing of 0 does not tile')
    },
  },
  {
    title: 'diagonal lines are drawn over the image from corner to corner, in the given color and opacity',
    rules: ['operations.watermark.3'],
    run: async (kit) => {
      const at = { type: 'watermark', image_url: await mark(kit), x: 45, y: 45 }
      const lined = await kit.drawn(await white(kit), [{ ...at, diagonal_lines_color: '000' }])
      for (const [x, y] of [
        [20, 20],
        [80, 20],
        [50, 50],
      ] as const)
        ok(darkest(lined, x, y) < 130, `a line runs through ${x}, ${y}`, darkest(lined, x, y))
      ok(isColor(lined, 50, 20, WHITE) && isColor(lined, 46, 49, MARK, 8), 'the image between the lines is unchanged')
      const half = await kit.drawn(await white(kit), [
        { ...at, diagonal_lines_color: '000', diagonal_lines_opacity: 50 },
      ])
      inRange(darkest(half, 20, 20), darkest(lined, 20, 20) + 50, 220, 'a line of half the opacity')
      const clear = await kit.drawn(await white(kit), [
        { ...at, diagonal_lines_color: '000', diagonal_lines_opacity: 0 },
      ])
      ok(isColor(clear, 20, 20, WHITE), 'a line of no opacity', colorAt(clear, 20, 20))
    },
  },
  {
    title: 'a watermark image that cannot be read fails the request, and the error has the index of the operation',
    rules: ['operations.watermark.5'],
    run: async (kit) => {
      const image_url = await kit.upload(Buffer.from('no image'))
      const operations = [{ type: 'flip' }, { type: 'watermark', image_url, x: 0, y: 0 }]
      const { error } = await kit.fail('images/process', { source: await white(kit), operations }, 'unsupported_media')
      equal(error.operation, 1, 'error.operation')
    },
  },
  {
    title: 'an image that several watermarks use is downloaded once',
    needs: ['receiver'],
    rules: ['operations.watermark.5'],
    run: async (kit) => {
      const { url, received } = kit.receiver.open((response) => void response.end(encodePng(draw(9, 9, () => MARK))))
      const operations = [5, 50].map((x) => ({ type: 'watermark', image_url: url, x, y: 5 }))
      const drawn = await kit.drawn(await white(kit), operations)
      ok(isColor(drawn, 8, 8, MARK) && isColor(drawn, 53, 8, MARK), 'both watermarks are drawn')
      equal(received.length, 1, 'downloads of the image')
    },
  },
  {
    title: 'documents/process draws the watermark on every page, and one pixel of the watermark is one point',
    rules: ['documents.process.1'],
    run: async (kit) => {
      const source = await kit.upload(
        writePdf([
          [200, 100],
          [200, 100],
        ]),
      )
      const image_url = await kit.once('black mark', () => kit.upload(encodePng(draw(20, 20, () => BLACK))))
      const made = await kit.succeed('documents/process', {
        source,
        operations: [{ type: 'watermark', image_url, x: 100, y: 40 }],
      })
      equal(
        [made.result.data.page_count, made.result.data.page_size],
        [2, { width: 200, height: 100, unit: 'pt' }],
        'metadata',
      )
      for (const page of [1, 2]) {
        const shot = await kit.succeed('documents/snapshot', {
          source: made.result.files[0].url,
          page,
          output: { format: 'png' },
        })
        const image = await kit.pixels(shot)
        const point = (x: number, y: number) =>
          colorAt(image, Math.round((x * image.width) / 200), Math.round((y * image.height) / 100))
        ok(
          (point(110, 50)[0] ?? 255) < 20 && (point(90, 50)[0] ?? 0) > 235 && (point(110, 70)[0] ?? 0) > 235,
          `the mark on page ${page}`,
          [point(110, 50), point(90, 50), point(110, 70)],
        )
      }
    },
  },
  {
    title: 'videos/process applies the watermark and the other operations to every frame',
    needs: ['paid', 'samples'],
    rules: ['operations.watermark.1', 'operations.grayscale.1'],
    run: async (kit) => {
      const image_url = await kit.once('large mark', () => kit.upload(encodePng(draw(60, 60, () => MARK))))
      const operations = [
        { type: 'grayscale' },
        { type: 'crop', x: 0, y: 0, width: 320, height: 200 },
        { type: 'watermark', image_url, x: 200, y: 100 },
      ]
      const made = await kit.succeed('videos/process', { source: kit.sample('clip.mp4'), operations, max_duration: 1 })
      equal([made.result.data.width, made.result.data.height], [320, 200], 'size')
      const shot = await kit.succeed('videos/screenshot', {
        source: made.result.files[0].url,
        seconds: 0,
        output: { format: 'png' },
      })
      const image = await kit.pixels(shot)
      ok(isColor(image, 230, 130, MARK, 40), 'the watermark in a frame', colorAt(image, 230, 130))
      const [red = 0, green = 0, blue = 0] = colorAt(image, 40, 40)
      ok(Math.max(red, green, blue) - Math.min(red, green, blue) <= 12, 'the rest is gray', [red, green, blue])
    },
  },
])

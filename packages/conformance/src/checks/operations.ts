import { checksOf } from '../kit/check.ts'
import { equal, inRange, ok } from '../kit/expect.ts'
import type { Image } from '../media/image.ts'
import { BLUE, colorAt, draw, farthest, GRAY, GREEN, isColor, quarters, RED, WHITE } from '../media/image.ts'
import { chunksOf, encodePng } from '../media/png.ts'
import { encodeTiff } from '../media/tiff.ts'

const sizeOf = ({ width, height }: Image) => [width, height]

function corners(image: Image, expected: readonly (readonly [number, number, number, number?])[], what: string): void {
  const { width, height } = image
  const points = [
    [3, 3],
    [width - 4, 3],
    [3, height - 4],
    [width - 4, height - 4],
  ]
  points.forEach(([x = 0, y = 0], index) => {
    const color = expected[index] ?? WHITE
    ok(isColor(image, x, y, color, 6), `${what}: corner ${index + 1} must be ${color.join()}`, colorAt(image, x, y))
  })
}

export const OPERATIONS = checksOf([
  {
    title: 'flip, rotate, and orient turn an image as documented',
    rules: [
      'operations.flip.1',
      'operations.rotate.1',
      'operations.rotate.2',
      'operations.orient.1',
      'images.process.5',
    ],
    run: async (kit) => {
      const source = await kit.image()
      corners(
        await kit.drawn(source, [{ type: 'flip', horizontal: true }]),
        [GREEN, RED, GRAY, BLUE],
        'flip horizontal',
      )
      corners(await kit.drawn(source, [{ type: 'flip', vertical: true }]), [BLUE, GRAY, RED, GREEN], 'flip vertical')
      corners(await kit.drawn(source, [{ type: 'flip' }]), [RED, GREEN, BLUE, GRAY], 'flip with neither')
      const turned = await kit.drawn(source, [{ type: 'rotate', degrees: 90 }])
      equal(sizeOf(turned), [60, 80], 'size after a quarter turn')
      corners(turned, [BLUE, RED, GRAY, GREEN], 'rotate clockwise')
      corners(
        await kit.drawn(source, [{ type: 'rotate', degrees: -90 }]),
        [GREEN, GRAY, RED, BLUE],
        'rotate the other way',
      )
      const both = [{ type: 'rotate', degrees: 90, flip_horizontal: true }]
      corners(await kit.drawn(source, both), [RED, BLUE, GREEN, GRAY], 'rotate, then flip')
      const skew = await kit.drawn(source, [{ type: 'rotate', degrees: 45 }])
      ok(skew.width > 95 && skew.height > 95, 'the canvas grows', sizeOf(skew))
      ok(
        isColor(skew, 0, 0, [0, 0, 0, 0], 255) && colorAt(skew, 0, 0)[3] === 0,
        'new corners are transparent',
        colorAt(skew, 0, 0),
      )
      const white = await kit.drawn(source, [{ type: 'rotate', degrees: 45 }], 'jpg')
      ok(isColor(white, 1, 1, WHITE, 6), 'new corners are white without alpha', colorAt(white, 1, 1))
      const tiff = await kit.upload(encodeTiff(quarters(), 6))
      const upright = await kit.drawn(tiff, [{ type: 'orient' }])
      equal(sizeOf(upright), [60, 80], 'size of an upright image')
      corners(upright, [BLUE, RED, GRAY, GREEN], 'orient')
      equal(sizeOf(await kit.drawn(tiff, [{ type: 'flip' }])), [80, 60], 'size without orient')
    },
  },
  {
    title: 'crop keeps the part of its rectangle that is inside the image, and fails if the whole rectangle is outside',
    rules: ['operations.crop.1'],
    run: async (kit) => {
      const source = await kit.image()
      const cut = await kit.drawn(source, [{ type: 'crop', x: 30, y: 20, width: 20, height: 20 }])
      equal(sizeOf(cut), [20, 20], 'size of a crop')
      corners(cut, [RED, GREEN, BLUE, GRAY], 'crop around the middle')
      equal(
        sizeOf(await kit.drawn(source, [{ type: 'crop', x: 70, y: 50, width: 500, height: 500 }])),
        [10, 10],
        'a trimmed crop',
      )
      const past = [{ type: 'crop', x: 80, y: 0, width: 5, height: 5 }]
      await kit.fail('images/process', { source, operations: past }, 'processing_failed')
    },
  },
  {
    title: 'resize fits an image into its box, stretches the image, or fills the box, and can enlarge the image',
    rules: ['operations.resize.1', 'operations.resize.2', 'operations.thumbnail.1'],
    run: async (kit) => {
      const source = await kit.image()
      const resized = async (more: object) =>
        sizeOf(await kit.drawn(source, [{ type: 'resize', width: 40, height: 40, ...more }]))
      equal(await resized({}), [40, 30], 'resize fits')
      equal(await resized({ preserve_aspect_ratio: false }), [40, 40], 'resize stretches')
      equal(await resized({ crop_center: true }), [40, 40], 'resize fills')
      equal(await resized({ width: 160, height: 1000 }), [160, 120], 'resize enlarges')
      const wide = await kit.upload(encodePng(draw(90, 30, (x) => (x < 30 ? RED : x < 60 ? GREEN : BLUE))))
      const filled = await kit.drawn(wide, [
        { type: 'resize', width: 20, height: 20, crop_center: true, preserve_aspect_ratio: false },
      ])
      corners(filled, [GREEN, GREEN, GREEN, GREEN], 'crop_center trims the sides and wins over stretching')
      equal(sizeOf(await kit.drawn(source, [{ type: 'thumbnail', width: 20 }])), [20, 15], 'a thumbnail of a width')
      equal(
        sizeOf(await kit.drawn(source, [{ type: 'thumbnail', width: 40, height: 15 }])),
        [20, 15],
        'a thumbnail fits its box',
      )
    },
  },
  {
    title: 'border adds the requested pixels on each side, in the requested color',
    rules: ['operations.border.1', 'operations.values.1'],
    run: async (kit) => {
      const source = await kit.image()
      const sides = { type: 'border', top: 5, bottom: 6, left: 7, right: 8 }
      for (const [color, expected] of [
        ['ff8000', [255, 128, 0]],
        ['#0f0', [0, 255, 0]],
      ] as const) {
        const framed = await kit.drawn(source, [{ ...sides, color }])
        equal(sizeOf(framed), [95, 71], 'size with a border')
        for (const [x, y] of [
          [0, 0],
          [94, 70],
          [6, 30],
          [87, 30],
          [40, 4],
          [40, 65],
        ] as const)
          ok(isColor(framed, x, y, expected, 1), `the border at ${x}, ${y} in ${color}`, colorAt(framed, x, y))
        ok(isColor(framed, 7, 5, RED) && isColor(framed, 86, 64, GRAY), 'the image starts inside its border')
      }
      const clear = await kit.drawn(source, [{ ...sides, color: 'ff000080' }])
      inRange(colorAt(clear, 0, 0)[3], 126, 130, 'alpha of a translucent border')
      await kit.invalid(
        'images/process',
        { source, operations: [{ ...sides, color: 'red' }] },
        'operations.0.color',
        'invalid_value',
      )
      await kit.invalid(
        'images/process',
        { source, operations: [{ ...sides, color: 'fff', top: 2001 }] },
        'operations.0.top',
        'out_of_range',
      )
    },
  },
  {
    title: 'grayscale, sepia, and exposure change colors as documented, and 0 changes nothing',
    rules: ['operations.grayscale.1', 'operations.sepia.1', 'operations.exposure.1', 'operations.exposure.2'],
    run: async (kit) => {
      const source = await kit.image()
      const gray = await kit.drawn(source, [{ type: 'grayscale' }])
      const [red = 0, green = 0, blue = 0] = colorAt(gray, 3, 3)
      ok(red === green && green === blue, 'grayscale removes all color', colorAt(gray, 3, 3))
      const plain = quarters()
      for (const none of [
        { type: 'sepia', threshold: 0 },
        { type: 'exposure' },
        { type: 'exposure', brightness: 0, contrast: 0 },
      ])
        ok(farthest(await kit.drawn(source, [none]), plain) <= 1, `${JSON.stringify(none)} changes nothing`)
      const [r = 0, g = 0, b = 0] = colorAt(await kit.drawn(source, [{ type: 'sepia', threshold: 100 }]), 76, 56)
      ok(r > g && g > b, 'sepia of gray is brown', [r, g, b])
      const lighter = await kit.drawn(source, [{ type: 'exposure', brightness: 50 }])
      const darker = await kit.drawn(source, [{ type: 'exposure', brightness: -50 }])
      const [up = 0] = colorAt(lighter, 76, 56)
      const [down = 0] = colorAt(darker, 76, 56)
      inRange(up, 150, 190, 'middle gray, one stop lighter')
      inRange(down, 80, 105, 'middle gray, one stop darker')
      const harder = await kit.drawn(source, [{ type: 'exposure', contrast: 80 }])
      ok(
        (colorAt(harder, 3, 3)[0] ?? 0) > RED[0] && (colorAt(harder, 3, 3)[1] ?? 99) < RED[1],
        'contrast drives apart',
        colorAt(harder, 3, 3),
      )
    },
  },
  {
    title: 'each filter changes the image differently, and strength 0 changes nothing',
    rules: ['operations.filter.1', 'operations.filter.2'],
    run: async (kit) => {
      const names =
        'amaro apollo brannan earlybird gotham hefe inkwell kelvin lomo nashville poprocket rise sierra toaster valencia walden willow xpro2'.split(
          ' ',
        )
      const ramp = draw(48, 32, (x, y) => [x * 5, y * 7, 255 - x * 4])
      const source = await kit.upload(encodePng(ramp))
      const looks: Image[] = []
      for (const name of names) looks.push(await kit.drawn(source, [{ type: 'filter', name }]))
      looks.forEach((look, index) => {
        ok(farthest(look, ramp) > 8, `${names[index]} changes the image`)
        const twin = looks.findIndex((other, at) => at > index && farthest(look, other) < 4)
        ok(twin === -1, `${names[index]} looks like ${names[twin]}`)
      })
      for (const name of ['gotham', 'valencia']) {
        const none = await kit.drawn(source, [{ type: 'filter', name, strength: 0 }])
        ok(farthest(none, ramp) <= 1, `${name} with strength 0 changes nothing`)
      }
      await kit.invalid(
        'images/process',
        { source, operations: [{ type: 'filter', name: 'sutro' }] },
        'operations.0.name',
        'invalid_value',
      )
    },
  },
  {
    title:
      'compress and thumbnail set the quality of the result, the last of these operations wins, and png ignores the quality',
    needs: ['samples'],
    rules: ['operations.compress.1', 'operations.thumbnail.1'],
    run: async (kit) => {
      const source = kit.sample('photo.jpg')
      const size = async (operations: object[], format: string) =>
        (await kit.succeed('images/process', { source, operations, output: { format } })).result.data.size
      const [low, high, last] = await Promise.all([
        size([{ type: 'compress', quality: 10 }], 'jpg'),
        size([{ type: 'compress', quality: 90 }], 'jpg'),
        size(
          [
            { type: 'compress', quality: 90 },
            { type: 'compress', quality: 10 },
          ],
          'jpg',
        ),
      ])
      ok(low * 2 < high, 'a lower quality is smaller', { low, high })
      equal(last, low, 'size when the last compress is the lower one')
    },
  },
  {
    title: 'operations run from first to last, and an operation can be repeated',
    rules: ['operations.list.1'],
    run: async (kit) => {
      const source = await kit.image()
      const crop = { type: 'crop', x: 0, y: 0, width: 40, height: 30 }
      const turn = { type: 'rotate', degrees: 90 }
      equal(sizeOf(await kit.drawn(source, [crop, turn])), [30, 40], 'crop, then rotate')
      const other = await kit.drawn(source, [turn, crop])
      equal(sizeOf(other), [40, 30], 'rotate, then crop')
      corners(other, [BLUE, RED, BLUE, RED], 'rotate, then crop')
      equal(sizeOf(await kit.drawn(source, [turn, turn, turn])), [60, 80], 'three quarter turns')
    },
  },
  {
    title:
      'results are sRGB images without EXIF, XMP, and IPTC, and in a jpg result transparency is blended onto white',
    rules: ['images.process.2'],
    run: async (kit) => {
      const tiff = await kit.upload(encodeTiff(quarters(), 6))
      const body = { source: tiff, operations: [{ type: 'flip' }] }
      const png = await kit.file(await kit.succeed('images/process', { ...body, output: { format: 'png' } }))
      const names = chunksOf(png).map(({ name }) => name)
      ok(!names.includes('eXIf') && !names.includes('iTXt'), 'a png without EXIF and XMP', names)
      const jpg = await kit.succeed('images/process', { ...body, output: { format: 'jpg' } })
      const bytes = await kit.file(jpg)
      ok(!bytes.includes('Exif\0') && !bytes.includes('http://ns.adobe.com/xap'), 'a jpg without EXIF and XMP')
      const clear = await kit.upload(encodePng(draw(40, 40, () => [0, 0, 0, 0])))
      const white = await kit.drawn(clear, [{ type: 'flip' }], 'jpg')
      ok(isColor(white, 20, 20, WHITE, 3), 'transparency in a jpg', colorAt(white, 20, 20))
    },
  },
])

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { MEDIA_TYPES } from '../domain/media.ts'
import { findOperation, OPERATIONS } from './index.ts'
import { supports } from './operation.ts'
import { assetsOf, catalog, operationsSchema } from './schema.ts'

const image = operationsSchema('image')
const accepts = (operation: object) => image.safeParse([operation]).success
const full: Record<string, Record<string, unknown>> = {
  watermark: { image_url: 'u', x: 0, y: 0 },
  border: { top: 0, bottom: 0, left: 0, right: 0, color: '#123' },
  resize: { width: 1, height: 1 },
  crop: { x: 0, y: 0, width: 1, height: 1 },
  thumbnail: { width: 1 },
  rotate: { degrees: 0 },
  flip: {},
  orient: {},
  grayscale: {},
  sepia: { threshold: 0 },
  exposure: {},
  filter: { name: 'amaro' },
  remove_background: { tolerance: 0 },
  compress: { quality: 1 },
}

// Spec 4.5, every number with its least and greatest value.
const BOUNDS: [string, string, number, number][] = [
  ['watermark', 'x', -20_000, 20_000],
  ['watermark', 'y', -20_000, 20_000],
  ['watermark', 'tile_spacing_x', 0, 20_000],
  ['watermark', 'tile_spacing_y', 0, 20_000],
  ['watermark', 'diagonal_lines_opacity', 0, 100],
  ['border', 'top', 0, 2000],
  ['border', 'bottom', 0, 2000],
  ['border', 'left', 0, 2000],
  ['border', 'right', 0, 2000],
  ['resize', 'width', 1, 20_000],
  ['resize', 'height', 1, 20_000],
  ['crop', 'x', 0, 20_000],
  ['crop', 'y', 0, 20_000],
  ['crop', 'width', 1, 20_000],
  ['crop', 'height', 1, 20_000],
  ['thumbnail', 'width', 1, 4000],
  ['thumbnail', 'height', 1, 4000],
  ['thumbnail', 'quality', 1, 100],
  ['rotate', 'degrees', -360, 360],
  ['sepia', 'threshold', 0, 100],
  ['exposure', 'brightness', -100, 100],
  ['exposure', 'contrast', -100, 100],
  ['filter', 'strength', 0, 100],
  ['remove_background', 'tolerance', 0, 100],
  ['remove_background', 'blur', 0, 10],
  ['compress', 'quality', 1, 100],
]

test('the 14 operations stand in the order of the specification, each for the media it names [4.5]', () => {
  assert.deepEqual(
    OPERATIONS.map(({ name }) => name),
    Object.keys(full),
  )
  const video = ['watermark', 'border', 'resize', 'crop', 'rotate', 'flip', 'grayscale']
  for (const operation of OPERATIONS) {
    assert.deepEqual(
      MEDIA_TYPES.filter((media) => supports(operation, media)),
      [
        'image',
        ...(video.includes(operation.name) ? ['video'] : []),
        ...(operation.name === 'watermark' ? ['document'] : []),
      ],
    )
    assert.equal(findOperation(operation.name), operation)
  }
})

test('every number is taken at its bounds, refused one past them, and whole but for tile spacings [4.5]', () => {
  for (const [type, param, minimum, maximum] of BOUNDS) {
    const at = (value: unknown) => accepts({ type, ...full[type], [param]: value })
    const what = `${type}.${param}`
    assert.ok(at(minimum) && at(maximum), `${what} at its bounds`)
    assert.ok(!at(minimum - 1) && !at(maximum + 1), `${what} past its bounds`)
    assert.equal(at(minimum + 0.5), param.startsWith('tile_spacing'), `${what} with a fraction`)
    assert.ok(!at(String(minimum)) && !at(null), `${what} of another type`)
  }
})

test('a required parameter may not be missing and an unknown one not be there [2.8]', () => {
  for (const [type, params] of Object.entries(full)) {
    assert.ok(accepts({ type, ...params }), type)
    assert.ok(!accepts({ type, ...params, shine: 1 }), `${type} with an unknown parameter`)
    for (const param of Object.keys(params)) {
      const { [param]: _, ...others } = params
      assert.ok(!accepts({ type, ...others }), `${type} without ${param}`)
    }
  }
})

test('defaults are filled in as the specification has them, and nothing else is [4.5]', () => {
  const parse = (type: string) => image.parse([{ type, ...full[type] }])[0]
  assert.deepEqual(parse('resize'), {
    type: 'resize',
    width: 1,
    height: 1,
    preserve_aspect_ratio: true,
    crop_center: false,
  })
  assert.deepEqual(parse('rotate'), { type: 'rotate', degrees: 0, flip_horizontal: false, flip_vertical: false })
  assert.deepEqual(parse('flip'), { type: 'flip', horizontal: false, vertical: false })
  assert.deepEqual(parse('exposure'), { type: 'exposure', brightness: 0, contrast: 0 })
  assert.deepEqual(parse('filter'), { type: 'filter', name: 'amaro', strength: 100 })
  assert.deepEqual(parse('remove_background'), { type: 'remove_background', tolerance: 0, blur: 0 })
  assert.deepEqual(parse('watermark'), { type: 'watermark', image_url: 'u', x: 0, y: 0 })
  assert.deepEqual(parse('thumbnail'), { type: 'thumbnail', width: 1 })
})

test('1 to 20 operations are taken, the same one twice too [4.1]', () => {
  const list = (length: number) => image.safeParse(Array.from({ length }, () => ({ type: 'flip' }))).success
  assert.deepEqual([0, 1, 20, 21].map(list), [false, true, true, false])
})

test('colours are hex of three, six or eight digits, with or without # [decisions 3]', () => {
  const taken = (color: string) => accepts({ type: 'border', ...full['border'], color })
  for (const color of ['#fff', 'FFF', '#a0b1c2', 'a0b1c2d3']) assert.ok(taken(color), color)
  for (const color of ['', '#', '#ffff', '#fffff', 'red', '#ggg', '##fff', '#fff ']) assert.ok(!taken(color), color)
})

test('an unknown operation and one that is not for the medium are told by their type [2.8]', () => {
  const issues = operationsSchema('document').safeParse([{ type: 'resize', width: 1, height: 1 }, { type: 'melt' }])
    .error?.issues
  assert.deepEqual(
    issues?.map(({ code, path }) => [code, path.join('.')]),
    [
      ['invalid_union', '0.type'],
      ['invalid_union', '1.type'],
    ],
  )
})

test('the watermark names its image as an asset, once for each operation that needs it [4.5]', () => {
  const parsed = image.parse([{ type: 'flip' }, { type: 'watermark', image_url: 'https://a/b.png', x: 0, y: 0 }])
  assert.deepEqual(assetsOf(parsed), [{ operation: 1, param: 'image_url', url: 'https://a/b.png' }])
})

test('the catalog tells each medium its formats and operations with every parameter described [2.7, decisions 11]', () => {
  const { image: pictures, video, document } = catalog()
  assert.deepEqual(
    [pictures.formats, video.formats, document.formats],
    [['jpg', 'png', 'webp', 'gif', 'tif'], ['mp4'], ['pdf']],
  )
  assert.deepEqual(Object.keys(document.operations), ['watermark'])
  assert.deepEqual(Object.keys(pictures.operations), Object.keys(full))
  assert.deepEqual(pictures.operations['exposure']?.params['contrast'], {
    description: 'From -100, all the same gray, to 100, four times the contrast.',
    required: false,
    default: 0,
    type: 'integer',
    minimum: -100,
    maximum: 100,
  })
  const look = pictures.operations['filter']?.params['name']
  assert.deepEqual([look?.required, look?.type, look?.enum?.length], [true, 'string', 18])
  for (const { description, params } of Object.values(pictures.operations)) {
    for (const text of [description, ...Object.values(params).map((param) => param.description)])
      assert.match(text, /^[A-Z].+\.$/)
  }
  for (const [type, param, minimum, maximum] of BOUNDS) {
    assert.partialDeepStrictEqual(pictures.operations[type]?.params[param], { minimum, maximum })
  }
})

test('the schema is good JSON Schema for OpenAPI 3.1: alternatives told apart by a constant type', () => {
  const { items } = z.toJSONSchema(image, { io: 'input' }) as {
    items: { oneOf: { properties: object; required: string[] }[] }
  }
  assert.equal(items.oneOf.length, 14)
  for (const alternative of items.oneOf) {
    assert.partialDeepStrictEqual(alternative, { type: 'object', additionalProperties: false })
    assert.ok(alternative.required.includes('type'))
  }
})

const filters = (type: string, params: object, size = { width: 641, height: 360 }) => {
  const [parsed] = operationsSchema('video').parse([{ type, ...params }])
  const { type: _, ...rest } = parsed ?? { type }
  return findOperation(type)?.video?.(rest, size)
}

test('on videos an operation is a list of filters with plain numbers [4.5]', () => {
  const cases: [string, object, object[]][] = [
    ['resize', { width: 320, height: 320 }, [{ name: 'scale', args: { w: 320, h: 180 } }]],
    [
      'resize',
      { width: 320, height: 320, preserve_aspect_ratio: false },
      [{ name: 'scale', args: { w: 320, h: 320 } }],
    ],
    [
      'resize',
      { width: 100, height: 180, crop_center: true },
      [
        { name: 'scale', args: { w: 321, h: 180 } },
        { name: 'crop', args: { w: 100, h: 180, x: 110, y: 0, exact: 1 } },
      ],
    ],
    [
      'crop',
      { x: 600, y: 10, width: 100, height: 50 },
      [{ name: 'crop', args: { w: 41, h: 50, x: 600, y: 10, exact: 1 } }],
    ],
    [
      'border',
      { top: 1, bottom: 2, left: 3, right: 4, color: '#ff000080' },
      [{ name: 'pad', args: { w: 648, h: 363, x: 3, y: 1, color: '0xff7f7f' } }],
    ],
    ['border', { top: 0, bottom: 0, left: 0, right: 0, color: '#fff' }, []],
    ['rotate', { degrees: -90 }, [{ name: 'transpose', args: { dir: 'cclock' } }]],
    [
      'rotate',
      { degrees: 180, flip_horizontal: true },
      [
        { name: 'hflip', args: {} },
        { name: 'vflip', args: {} },
        { name: 'hflip', args: {} },
      ],
    ],
    [
      'rotate',
      { degrees: 45 },
      [{ name: 'rotate', args: { angle: Math.PI / 4, out_w: 708, out_h: 708, fillcolor: 'white' } }],
    ],
    ['flip', { vertical: true }, [{ name: 'vflip', args: {} }]],
    ['grayscale', {}, [{ name: 'hue', args: { s: 0 } }]],
  ]
  for (const [type, params, expected] of cases) assert.deepEqual(filters(type, params), expected)
  assert.throws(() => filters('crop', { x: 641, y: 0, width: 1, height: 1 }), { code: 'processing_failed' })
})

test('a watermark is the same drawing on all media: a mark, tiled by whole steps at least, and lines above it [4.5, decisions 14, 15]', () => {
  const params = {
    image_url: 'u',
    x: -5,
    y: 7,
    tile_spacing_x: 0,
    tile_spacing_y: 0.5,
    diagonal_lines_color: '#00ff0080',
  }
  const mark = { assetUrl: 'u', x: -5, y: 7, stepX: undefined, stepY: 1 }
  const lines = { color: { r: 0, g: 255, b: 0, alpha: 128 }, opacity: 1, width: 2 }
  const { image: onImage, video, document } = findOperation('watermark') ?? {}
  const size = { width: 500, height: 400 }
  assert.deepEqual(onImage?.(params, { ...size, orientation: 1 }), [
    { step: 'blend', ...mark },
    { step: 'lines', ...lines },
  ])
  assert.deepEqual(video?.(params, size), [
    { draw: 'mark', ...mark },
    { draw: 'lines', ...lines },
  ])
  assert.deepEqual(document?.(params, size), [
    { stamp: 'image', ...mark },
    { stamp: 'lines', ...lines },
  ])
  assert.deepEqual(document?.({ image_url: 'u', x: 0, y: 0, diagonal_lines_opacity: 50 }, size)?.length, 1)
  assert.partialDeepStrictEqual(video?.({ ...params, diagonal_lines_opacity: 25 }, { width: 10, height: 10 })?.[1], {
    opacity: 0.25,
    width: 1,
  })
})

test('a strength of 0 draws nothing [decisions 15]', () => {
  const draw = (type: string, params: object) =>
    findOperation(type)?.image?.(params as never, { width: 9, height: 9, orientation: 1 })
  assert.deepEqual(draw('sepia', { threshold: 0 }), [])
  assert.deepEqual(draw('filter', { name: 'amaro', strength: 0 }), [])
  assert.deepEqual(draw('exposure', { brightness: 0, contrast: 0 }), [])
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FORMATS, INTEGERS, mediaOf, operationsOn, REQUIRED } from '@mediamill/lab/support/operation-table'
import { z } from 'zod'
import { MEDIA_TYPES } from '../domain/media.ts'
import { presentCatalog } from '../objects/present-catalog.ts'
import { findOperation, OPERATIONS } from './index.ts'
import { supports } from './operation.ts'
import { assetsOf, operationsSchema } from './schema.ts'

const image = operationsSchema('image')

test('every declared operation is in the list OPERATIONS, and has a row in the table of test operations', () => {
  const folder = import.meta.dirname
  for (const file of readdirSync(folder).filter((name) => !name.endsWith('.test.ts') && name !== 'operation.ts')) {
    const [, name] = /= defineOperation\(\{\s*name: '(\w+)'/.exec(readFileSync(join(folder, file), 'utf8')) ?? []
    if (name === undefined) continue
    const missing = `packages/contract/src/operations/index.ts does not list "${name}" of packages/contract/src/operations/${file}: import it there, and add it to OPERATIONS`
    assert.ok(findOperation(name), missing)
    assert.ok(
      REQUIRED[name],
      `lab/support/operation-table.ts has no row for "${name}" of packages/contract/src/operations/${file}`,
    )
  }
})

test('operations are listed in the order of the specification, each with its media types [operations.list.2]', () => {
  assert.deepEqual(
    OPERATIONS.map(({ name }) => name),
    Object.keys(REQUIRED),
  )
  for (const operation of OPERATIONS) {
    const media = MEDIA_TYPES.filter((one) => supports(operation, one))
    assert.deepEqual(media, mediaOf(operation.name), `${operation.name} in lab/support/operation-table.ts`)
    assert.equal(findOperation(operation.name), operation)
  }
})

test('operations get the defaults of the specification and no others', () => {
  const parse = (type: string) => image.parse([{ type, ...REQUIRED[type] }])[0]
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
  assert.deepEqual(parse('filter'), { type: 'filter', name: 'lomo', strength: 100 })
  assert.deepEqual(parse('remove_background'), { type: 'remove_background', tolerance: 0, blur: 0 })
  assert.deepEqual(parse('watermark'), { type: 'watermark', ...REQUIRED['watermark'] })
  assert.deepEqual(parse('thumbnail'), { type: 'thumbnail', width: 1 })
})

test('a watermark operation lists its image as an asset exactly once [operations.watermark.5]', () => {
  const parsed = image.parse([{ type: 'flip' }, { type: 'watermark', image_url: 'https://a/b.png', x: 0, y: 0 }])
  assert.deepEqual(assetsOf(parsed), [{ operation: 1, param: 'image_url', url: 'https://a/b.png' }])
})

test('the catalog lists the formats and operations of each media type, with a description of every parameter [catalog.data.1]', () => {
  const { image: images, video, document } = presentCatalog().data
  assert.deepEqual({ image: images.formats, video: video.formats, document: document.formats }, FORMATS)
  assert.deepEqual(Object.keys(document.operations), operationsOn('document'))
  assert.deepEqual(Object.keys(images.operations), operationsOn('image'))
  assert.deepEqual(images.operations['exposure']?.params['contrast'], {
    description: 'Contrast: positive values increase it, negative values decrease it.',
    required: false,
    default: 0,
    type: 'integer',
    minimum: -100,
    maximum: 100,
  })
  const look = images.operations['filter']?.params['name']
  assert.deepEqual([look?.required, look?.type, look?.enum?.length], [true, 'string', 18])
  for (const { description, params } of Object.values(images.operations)) {
    for (const text of [description, ...Object.values(params).map((param) => param.description)])
      assert.match(text, /^[A-Z].+\.$/)
  }
  for (const param of ['tile_spacing_x', 'tile_spacing_y']) {
    const spacing = images.operations['watermark']?.params[param]
    assert.partialDeepStrictEqual(spacing, { type: 'number', minimum: 0, maximum: 20_000 })
  }
  for (const [type, param, minimum, maximum] of INTEGERS) {
    assert.partialDeepStrictEqual(images.operations[type]?.params[param], { type: 'integer', minimum, maximum })
  }
})

test('the JSON Schema of image operations has one alternative per operation, and each alternative requires the field type', () => {
  const { $defs } = z.toJSONSchema(image, { io: 'input' })
  const alternatives = $defs?.['ImageOperation']?.oneOf ?? []
  assert.equal(alternatives.length, operationsOn('image').length)
  for (const { $ref } of alternatives) {
    const alternative = $defs?.[$ref?.split('/').at(-1) ?? '']
    assert.partialDeepStrictEqual(alternative, { type: 'object', additionalProperties: false })
    assert.ok(alternative?.required?.includes('type'))
  }
})

const filters = (type: string, params: object, size = { width: 641, height: 360 }) => {
  const [parsed] = operationsSchema('video').parse([{ type, ...params }])
  const { type: _, ...rest } = parsed ?? { type }
  return findOperation(type)?.video?.(rest, size)
}

test('a video operation compiles to a list of FFmpeg filters whose arguments are plain numbers', () => {
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
    // If the code subtracted a width instead of adding it, two equal widths would cancel out.
    ...[{ top: 2 }, { bottom: 2 }, { left: 2 }, { right: 2 }, { top: 2, bottom: 2 }, { left: 2, right: 2 }].map(
      (widths): (typeof cases)[number] => {
        const { top, bottom, left, right } = { top: 0, bottom: 0, left: 0, right: 0, ...widths }
        const args = { w: 641 + left + right, h: 360 + top + bottom, x: left, y: top, color: '0xffffff' }
        return ['border', { top, bottom, left, right, color: '#fff' }, [{ name: 'pad', args }]]
      },
    ),
    ['rotate', { degrees: 90 }, [{ name: 'transpose', args: { dir: 'clock' } }]],
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

test('for every media type, a watermark operation compiles to the same image, the same diagonal lines, and the same tile steps, which are at least 1 [operations.watermark.2, operations.watermark.3]', () => {
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

test('an operation with strength 0 adds no processing step [operations.sepia.1, operations.filter.1]', () => {
  const draw = (type: string, params: object) =>
    findOperation(type)?.image?.(params as never, { width: 9, height: 9, orientation: 1 })
  assert.deepEqual(draw('sepia', { threshold: 0 }), [])
  assert.deepEqual(draw('filter', { name: 'amaro', strength: 0 }), [])
  assert.deepEqual(draw('exposure', { brightness: 0, contrast: 0 }), [])
})

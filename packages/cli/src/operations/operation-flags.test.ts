import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { operationSchema } from '@mediamill/contract/operations/schema'
import { naming } from '@mediamill/lab/support/message'
import { operationFlags, parseOperationFlag } from './operation-flags.ts'

const catalog = presentCatalog().data
const operations = catalog.image.operations
const parse = (flag: string, text: string) => parseOperationFlag(flag, text, operations)
const rejection = (flag: string, text: string): string => {
  try {
    return `read as ${JSON.stringify(parse(flag, text))}`
  } catch (error) {
    return error instanceof RangeError ? error.message : String(error)
  }
}

describe('the command parses each flag and its value into an operation', () => {
  const read: [flag: string, text: string, expected: object][] = [
    ['resize', '800x600', { width: 800, height: 600 }],
    ['resize', '800x600,crop_center', { width: 800, height: 600, crop_center: true }],
    ['resize', '800,600', { width: 800, height: 600 }],
    ['resize', 'height=600,800', { height: 600, width: 800 }],
    ['resize', 'crop_center , 800×600', { crop_center: true, width: 800, height: 600 }],
    ['resize', '800x600,preserve_aspect_ratio=false', { width: 800, height: 600, preserve_aspect_ratio: false }],
    ['crop', '300x200+10+20', { width: 300, height: 200, x: 10, y: 20 }],
    ['crop', '300x200,x=10,y=20', { width: 300, height: 200, x: 10, y: 20 }],
    ['crop', '10,20,300,200', { x: 10, y: 20, width: 300, height: 200 }],
    ['crop', '10,20,300x200', { x: 10, y: 20, width: 300, height: 200 }],
    ['thumbnail', '200', { width: 200 }],
    ['thumbnail', '200x100,quality=70', { width: 200, height: 100, quality: 70 }],
    ['rotate', '-90,flip_vertical', { degrees: -90, flip_vertical: true }],
    ['rotate', '+15', { degrees: 15 }],
    ['flip', 'horizontal', { horizontal: true }],
    ['flip', 'horizontal,vertical=false', { horizontal: true, vertical: false }],
    ['filter', 'valencia,strength=60', { name: 'valencia', strength: 60 }],
    ['exposure', 'brightness=-5', { brightness: -5 }],
    ['border', '1,2,3,4,#fff', { top: 1, bottom: 2, left: 3, right: 4, color: '#fff' }],
    ['remove_background', '10,blur=2', { tolerance: 10, blur: 2 }],
    ['watermark', 'logo.png,x=20,y=20', { image_url: 'logo.png', x: 20, y: 20 }],
    ['watermark', 'a\\,b.png,20,-20', { image_url: 'a,b.png', x: 20, y: -20 }],
    ['watermark', 'l.png,0,0,tile_spacing_x=1.5', { image_url: 'l.png', x: 0, y: 0, tile_spacing_x: 1.5 }],
    ['watermark', 'https://e.com/l.png?v=2,1,2', { image_url: 'https://e.com/l.png?v=2', x: 1, y: 2 }],
    ['orient', '', {}],
  ]
  for (const [flag, text, expected] of read) {
    test(`the flag --${flag} ${text} is parsed into the documented operation`, () => {
      const operation = parse(flag, text)
      assert.deepEqual(operation, { type: flag, ...expected })
      assert.ok(operationSchema('image').safeParse(operation).success)
    })
  }
})

describe('the error for an invalid flag value shows the correct syntax', () => {
  const rejected: [flag: string, text: string, ...parts: string[]][] = [
    ['resize', '800', 'height', 'missing', '--resize WIDTHxHEIGHT[,preserve_aspect_ratio=false][,crop_center]'],
    ['resize', '', 'width and height', 'missing', '--resize WIDTHxHEIGHT[,preserve_aspect_ratio=false][,crop_center]'],
    ['crop', '300x200', 'x and y', 'missing', '--crop WIDTHxHEIGHT+X+Y'],
    ['resize', '0x600', 'width', '1 to 20000', '"0"'],
    ['resize', '20001x600', 'width', '1 to 20000', '"20001"'],
    ['resize', '800px', 'width', '1 to 20000', '"800px"'],
    ['resize', '8.5,600', 'width', '1 to 20000', '"8.5"'],
    ['resize', 'widht=800,height=600', 'widht', 'mean width?'],
    ['resize', '800x600,crop-centre', '"crop-centre"', 'mean crop_center?'],
    ['resize', '800x600,width=3', 'width', 'twice'],
    ['resize', '800x600+1+2', 'x', 'not a parameter', 'width, height, preserve_aspect_ratio, crop_center'],
    ['resize', '800x600,7', 'Too many values', '"7"'],
    ['thumbnail', '200,100', '"100"', 'name', 'height=100'],
    ['exposure', '20', '"20"', 'name', 'brightness=20'],
    ['flip', 'horizontal=yes', 'horizontal', 'true or false', '"yes"'],
    ['watermark', 'image_url=,1,2', 'image_url', 'empty'],
    ['sepia', 'threshold=1,color=2', 'color', 'not a parameter', 'threshold'],
    ['grayscale', 'constructor=1', 'constructor', 'not a parameter', 'no parameters'],
    ['flip', '-o', 'needs a value', '--flip '],
    ['exposure', '--resize', 'needs a value', '--exposure '],
    ['whistle', '3', 'Unknown', 'whistle'],
  ]
  for (const [flag, text, ...parts] of rejected) {
    test(`the flag --${flag} ${text} is rejected with a specific error`, () =>
      assert.match(rejection(flag, text), naming(...parts)))
  }

  test('the error for a misspelled filter suggests the correct name', () => {
    assert.match(
      rejection('filter', 'valenica'),
      /^name must be one of amaro, .*, not "valenica"\. Did you mean valencia\?$/,
    )
    assert.match(rejection('filter', 'sunset'), /not "sunset"\.$/)
  })
})

test("every operation of every media type has a command-line flag, with the documented syntax of the flag's value", () => {
  for (const media of MEDIA_TYPES) {
    const flags = operationFlags(catalog[media].operations)
    assert.deepEqual(
      flags.map(({ operation }) => operation),
      Object.keys(catalog[media].operations),
    )
  }
  const shown = Object.fromEntries(operationFlags(operations).map(({ flag, value }) => [flag, value]))
  assert.equal(shown['remove-background'], 'TOLERANCE[,blur=N]')
  assert.equal(shown['crop'], 'WIDTHxHEIGHT+X+Y')
  assert.equal(shown['thumbnail'], 'WIDTH[,height=N][,quality=N]')
  assert.equal(shown['flip'], 'horizontal[,vertical]')
  assert.equal(shown['exposure'], 'brightness=N[,contrast=N]')
  assert.equal(shown['border'], 'TOP,BOTTOM,LEFT,RIGHT,COLOR')
  assert.equal(
    shown['watermark'],
    'IMAGE_URL,X,Y[,gravity=TEXT][,scale=N][,tile_spacing_x=N][,tile_spacing_y=N][,diagonal_lines_color=TEXT][,diagonal_lines_opacity=N]',
  )
  assert.equal(shown['orient'], undefined)
})

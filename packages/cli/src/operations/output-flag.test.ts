import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOutputFlag } from './output-flag.ts'

test('each item of the flag --output sets a field or adds an operation, and the operations keep their order in the flag', () => {
  assert.deepEqual(parseOutputFlag('name=large,format=webp,resize=1600x1200,grayscale,quality=auto'), {
    name: 'large',
    format: 'webp',
    quality: 'auto',
    operations: [{ type: 'resize', width: 1600, height: 1200 }, { type: 'grayscale' }],
  })
  assert.deepEqual(parseOutputFlag('format=JPEG,quality=82,max_bytes=200000,max-bytes-resize,metadata=copyright'), {
    format: 'jpg',
    quality: 82,
    max_bytes: 200_000,
    max_bytes_resize: true,
    metadata: 'copyright',
  })
  assert.deepEqual(parseOutputFlag(String.raw`watermark=logo.png\,x=20\,y=10`).operations, [
    { type: 'watermark', image_url: 'logo.png', x: 20, y: 10 },
  ])
  assert.deepEqual(parseOutputFlag('{"name":"a","operations":[{"type":"orient"}]}'), {
    name: 'a',
    operations: [{ type: 'orient' }],
  })
})

test('if the flag --output contains a typing mistake, the error names the mistake', () => {
  for (const [text, message] of [
    ['small.webp', /"small\.webp" is neither a field of an output nor an operation.* Use -o for the path/],
    ['resise=8x8', /Did you mean resize\?/],
    ['format=wepb', /Did you mean webp\?/],
    ['resize=8', /height is missing: --resize WIDTHxHEIGHT/],
    ['name=a,name=b', /name is given twice/],
    ['name=../up', /name must have 1 to 64 characters/],
    ['max_bytes=2MB', /max_bytes must be a whole number/],
    ['{"name"', /valid JSON/],
    ['{"destination":{"url":"https://example.com"}}', /destination is not supported here/],
  ] as const) {
    assert.throws(() => parseOutputFlag(text), { name: 'RangeError', message }, text)
  }
})

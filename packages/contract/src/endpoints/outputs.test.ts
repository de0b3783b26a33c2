import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import { ApiError } from '../domain/errors.ts'
import type { Endpoint } from './endpoint.ts'
import { pricesOf, unitsOf } from './endpoint.ts'
import { endpointNamed } from './index.ts'
import { validateBody } from './validation.ts'
import { workOf } from './work.ts'

const source = 'https://example.com/a.jpg'
const process = endpointNamed('images/process')
const resize = { type: 'resize', width: 10, height: 10 }
const mark = (url: string) => ({ type: 'watermark', image_url: url, x: 0, y: 0 })

function wrong(body: object, endpoint: Endpoint = process): string[] {
  try {
    validateBody(endpoint, { source, ...body })
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, 'validation_failed')
    return (error.errors ?? []).map(({ param, code, message }) => `${param} ${code}: ${message}`)
  }
}

test('a request with outputs needs no operations and cannot have the field output [outputs.fields.1, images.process.6]', () => {
  const body = { source, outputs: [{}, { name: 'small', format: 'avif', operations: [resize], quality: 40 }] }
  const { parameters, input } = validateBody(process, body)
  const full = { ...resize, preserve_aspect_ratio: true, crop_center: false }
  assert.deepEqual(parameters['outputs'], [
    { operations: [], format: 'jpg' },
    { ...body.outputs[1], operations: [full] },
  ])
  assert.deepEqual(input, { outputs: body.outputs })
  assert.deepEqual(workOf({ endpoint: 'images/process', input }).work.parameters, parameters)
  assert.deepEqual(wrong({ outputs: [{}], operations: [resize] }), [])
  const [required] = wrong({})
  assert.match(
    required ?? '',
    /^operations required: operations is required: an array of 1 to 20 operations, such as .*; to convert only, send \[\{"type": "flip"\}\]/,
  )
  const both = wrong({ outputs: [{}], output: { format: 'png' } })
  assert.equal(both.length, 1)
  assert.match(both.join(), naming('output invalid_value: output', 'outputs', 'move'))
})

test('the error for an invalid output names its path, the value, the limit, and the fix', () => {
  const many = Array.from({ length: 21 }, () => ({}))
  for (const [outputs, expected] of [
    [[], /^outputs too_short: outputs must have 1 to 20 elements \(got 0\)\.$/],
    [many, /^outputs too_long: outputs must have 1 to 20 elements \(got 21\)\.$/],
    [
      [{}, { name: 'A b' }],
      /^outputs\.1\.name invalid_value: outputs\[1\]\.name must be 1 to 64 characters of a-z, 0-9, _, and - \(got "A b"\)/,
    ],
    [
      [{ name: 'a' }, { name: 'a' }],
      /^outputs\.1\.name invalid_value: outputs\[1\]\.name must be unique: outputs\[0\]/,
    ],
    [[{ name: '1' }, {}], /^outputs\.1 invalid_value: outputs\[1\] needs a name.*"1".*outputs\[0\]/],
    [
      [{ quality: 0 }],
      /^outputs\.0\.quality out_of_range: outputs\[0\]\.quality must be an integer from 1 to 100 or auto \(got 0\)\.$/,
    ],
    [
      [{ quality: 'best' }],
      /^outputs\.0\.quality invalid_value: .* an integer from 1 to 100 or auto \(got "best"\)\.$/,
    ],
    [[{ max_bytes: 0 }], /^outputs\.0\.max_bytes out_of_range: .* must be an integer of at least 1000 \(got 0\)\.$/],
    [[{ max_bytes: -5 }], /^outputs\.0\.max_bytes out_of_range: .* \(got -5\)\.$/],
    [[{ max_bytes: 1e300 }], /^outputs\.0\.max_bytes /],
    [[{ max_bytes: '50k' }], /^outputs\.0\.max_bytes invalid_type: .* must be an integer/],
    [
      [{ max_bytes_resize: true }],
      /^outputs\.0\.max_bytes_resize invalid_value: outputs\[0\]\.max_bytes_resize needs max_bytes\.$/,
    ],
    [[{ metadata: 'all' }], /^outputs\.0\.metadata invalid_value: .* one of none, copyright, all_but_location /],
    [[{ format: 'jxl' }], /^outputs\.0\.format invalid_value: .* one of jpg, png, webp, gif, tif, avif /],
    [
      [{ sizes: 1 }],
      /^outputs\.0\.sizes unknown_parameter: outputs\[0\]\.sizes is not a parameter of outputs\[0\]; .*name/,
    ],
    [
      [{ operations: [resize, { type: 'resize', width: 0, height: 1 }] }],
      /^outputs\.0\.operations\.1\.width out_of_range: outputs\[0\]\.operations\[1\]\.width must be an integer from 1 to 20000 \(got 0\)\.$/,
    ],
    [
      [{ operations: [{ type: 'resise' }] }],
      /^outputs\.0\.operations\.0\.type unknown_operation: .*did you mean resize\?$/,
    ],
    [
      [{ operations: [{ type: 'flip', up: true }] }],
      /^outputs\.0\.operations\.0\.up unknown_parameter: .*parameter of flip/,
    ],
    [[{ operations: Array(21).fill(resize) }], /^outputs\.0\.operations too_long: .* must have 0 to 20 elements/],
    ['a', /^outputs invalid_type: /],
    [[7], /^outputs\.0 invalid_type: outputs\[0\] must be an object/],
  ] as const) {
    const [first = 'accepted'] = wrong({ outputs })
    assert.match(first, expected)
  }
})

test('an endpoint that does not support outputs rejects the field outputs as unknown', () => {
  for (const name of ['images/read', 'videos/process', 'documents/process'] as const) {
    const endpoint = endpointNamed(name)
    const errors = wrong({ ...endpoint.example.body, outputs: [{}] }, endpoint)
    assert.match(errors.join(), /outputs unknown_parameter/, name)
  }
})

test('the price of a request is the price of one file times the number of outputs [outputs.price.1]', () => {
  const { parameters } = validateBody(process, { source, outputs: [{}, {}, {}] })
  assert.deepEqual(unitsOf(process, parameters), { minimum: 3, maximum: 3 })
  assert.deepEqual(pricesOf(process.price, unitsOf(process, parameters)), { minimum: 6_000, maximum: 6_000 })
  assert.deepEqual(unitsOf(process, validateBody(process, { source, operations: [resize] }).parameters).maximum, 1)
})

test('each watermark image is listed with the path of its field, and a request uses at most 20 different images [outputs.operations.2]', () => {
  const outputs = [{}, { name: 'b', operations: [resize, mark('https://example.com/m.png')] }]
  const { parameters } = validateBody(process, { source, operations: [mark('https://example.com/l.png')], outputs })
  assert.deepEqual(process.sources?.(parameters as never), [
    { param: 'operations.0.image_url', url: 'https://example.com/l.png', operation: 0 },
    { param: 'outputs.1.operations.1.image_url', url: 'https://example.com/m.png', operation: 1, output: 'b' },
  ])
  const marks = (count: number) => Array.from({ length: count }, (_, index) => mark(`https://example.com/${index}.png`))
  const twenty = { outputs: [{ operations: marks(20) }, { operations: marks(20) }] }
  assert.deepEqual(wrong(twenty), [])
  const more = { operations: [mark('https://example.com/other.png')], ...twenty }
  assert.equal(wrong(more).length, 1)
  assert.match(
    wrong(more).join(),
    naming('outputs too_long: outputs', 'operations', 'at most 20', 'image_url', 'got 21'),
  )
})

test('the stored request input keeps each destination in its output, but not the signature of the destination URL', () => {
  const url = 'https://bucket.example.com/b.webp?X-Amz-Signature=secret'
  const headers = { 'x-ms-blob-type': 'BlockBlob', 'cache-control': 'no-store' }
  const { destinations, input, parameters } = validateBody(process, {
    source,
    outputs: [{}, { destination: { url, headers } }],
  })
  assert.deepEqual(destinations, [{ param: 'outputs.1.destination.url', file: 1, url, headers }])
  const shown = { url: 'https://bucket.example.com/b.webp', headers: { 'cache-control': 'no-store' } }
  assert.deepEqual(input, { outputs: [{}, { destination: shown }] })
  assert.ok(!JSON.stringify(parameters).includes('bucket'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import { FORMATS, INTEGERS, operationsOn, REQUIRED } from '@mediamill/lab/support/operation-table'
import { ApiError } from '../domain/errors.ts'
import { formatParam } from '../lib/format-text.ts'
import { newTemplate } from '../objects/template.ts'
import { ENDPOINTS, endpointNamed, findEndpoint } from './index.ts'
import { parseBody, validateBody } from './validation.ts'

const SOURCE = 'https://example.com/a'

const named = (name: string) => findEndpoint(name) ?? assert.fail(`no such endpoint: ${name}`)

function wrong(endpoint: string, body: unknown): string[] {
  try {
    validateBody(named(endpoint), body)
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.code, error.status], ['validation_failed', 422])
    const errors = error.errors ?? []
    assert.equal(error.param, errors[0]?.param)
    assert.equal(error.message, errors[0]?.message ?? error.message)
    for (const { param, message } of errors) assert.ok(message.startsWith(formatParam(param)), message)
    return errors.map(({ param, code }) => `${param} ${code}`)
  }
}

const onImage = (operation: object) => wrong('images/process', { source: SOURCE, operations: [operation] })

for (const [type, name, minimum, maximum] of INTEGERS) {
  test(`the operation parameter ${type}.${name} is an integer from ${minimum} to ${maximum} [operations.list.2]`, () => {
    const use = (value: unknown) => onImage({ type, ...REQUIRED[type], [name]: value })
    const param = `operations.0.${name}`
    for (const value of [minimum, maximum, minimum + 1, -0]) {
      if (value >= minimum) assert.deepEqual(use(value), [], String(value))
    }
    for (const value of [minimum - 1, maximum + 1, 2 ** 53]) assert.deepEqual(use(value), [`${param} out_of_range`])
    for (const value of [null, '1', true, [], {}, minimum + 0.5, Number.POSITIVE_INFINITY]) {
      assert.deepEqual(use(value), [`${param} invalid_type`], JSON.stringify(value))
    }
  })
}

test('boolean parameters of operations accept only true and false, and tile spacings accept only numbers from 0 to 20000 [operations.list.2]', () => {
  const flags = [
    ['resize', 'preserve_aspect_ratio'],
    ['resize', 'crop_center'],
    ['rotate', 'flip_horizontal'],
    ['rotate', 'flip_vertical'],
    ['flip', 'horizontal'],
    ['flip', 'vertical'],
  ] as const
  for (const [type, name] of flags) {
    const use = (value: unknown) => onImage({ type, ...REQUIRED[type], [name]: value })
    assert.deepEqual([...use(true), ...use(false)], [])
    for (const value of [null, 0, 1, 'true']) assert.deepEqual(use(value), [`operations.0.${name} invalid_type`])
  }
  for (const name of ['tile_spacing_x', 'tile_spacing_y']) {
    const use = (value: unknown) => onImage({ type: 'watermark', ...REQUIRED['watermark'], [name]: value })
    for (const value of [0, 0.001, 20_000, 12.5]) assert.deepEqual(use(value), [])
    for (const value of [-0.001, 20_000.5]) assert.deepEqual(use(value), [`operations.0.${name} out_of_range`])
    for (const value of [null, '1', Number.POSITIVE_INFINITY]) {
      assert.deepEqual(use(value), [`operations.0.${name} invalid_type`])
    }
  }
})

test('an endpoint accepts every operation with only its required parameters, and rejects an operation without one of them [operations.list.2]', () => {
  for (const [type, required] of Object.entries(REQUIRED)) {
    assert.deepEqual(onImage({ type, ...required }), [], type)
    for (const name of Object.keys(required)) {
      const { [name]: _left, ...rest } = required
      assert.deepEqual(onImage({ type, ...rest }), [`operations.0.${name} required`])
    }
    assert.deepEqual(onImage({ type, ...required, shine: 1 }), ['operations.0.shine unknown_parameter'])
  }
})

test('colors are hex with three, six, or eight digits and an optional # [operations.values.1]', () => {
  for (const [type, name] of [
    ['border', 'color'],
    ['watermark', 'diagonal_lines_color'],
  ] as const) {
    const use = (color: unknown) => onImage({ type, ...REQUIRED[type], [name]: color })
    for (const color of ['#fff', 'fff', '#A0b1C2', 'a0b1c2', '#a0b1c2d3', 'a0b1c2d3']) assert.deepEqual(use(color), [])
    for (const color of ['', '#', '#ff', '#ffff', '#fffff', 'red', '#ggg', ' #fff', '#fff\n', '##fff']) {
      assert.deepEqual(use(color), [`operations.0.${name} invalid_value`], color)
    }
    assert.deepEqual(use(null), [`operations.0.${name} invalid_type`])
  }
})

test('the filter operation accepts only the eighteen documented filter names [operations.filter.2, operations.list.2]', () => {
  const names =
    'amaro apollo brannan earlybird gotham hefe inkwell kelvin lomo nashville poprocket rise sierra toaster valencia walden willow xpro2'
  for (const name of names.split(' ')) assert.deepEqual(onImage({ type: 'filter', name }), [])
  for (const name of ['Lomo', '', 'clarendon']) {
    assert.deepEqual(onImage({ type: 'filter', name }), ['operations.0.name invalid_value'])
  }
  assert.deepEqual(onImage({ type: 'filter', name: 1 }), ['operations.0.name invalid_type'])
})

test('each endpoint accepts the operations of its media type, and rejects all others with not_supported_for_media [operations.list.2]', () => {
  const columns: [string, string[]][] = [
    ['images/process', operationsOn('image')],
    ['videos/process', operationsOn('video')],
    ['documents/process', operationsOn('document')],
  ]
  for (const [endpoint, taken] of columns) {
    for (const [type, required] of Object.entries(REQUIRED)) {
      const expected = taken.includes(type) ? [] : ['operations.0.type not_supported_for_media']
      assert.deepEqual(wrong(endpoint, { source: SOURCE, operations: [{ type, ...required }] }), expected)
    }
    for (const type of ['whistle', 'Resize', '__proto__', '']) {
      const expected = ['operations.0.type unknown_operation']
      assert.deepEqual(wrong(endpoint, { source: SOURCE, operations: [{ type }] }), expected)
    }
  }
})

test('an endpoint accepts 1 to 20 operations, and for a longer list also reports the errors after the twentieth operation [operations.list.1, errors.body.2]', () => {
  const many = (count: number) => Array.from({ length: count }, () => ({ type: 'grayscale' }))
  const use = (operations: unknown) => wrong('images/process', { source: SOURCE, operations })
  assert.deepEqual([...use(many(1)), ...use(many(20))], [])
  assert.deepEqual(use([]), ['operations too_short'])
  assert.deepEqual(use(many(21)), ['operations too_long'])
  assert.deepEqual(use([...many(20), { type: 'nope' }]), [
    'operations too_long',
    'operations.20.type unknown_operation',
  ])
  for (const value of [null, {}, 'grayscale', 1]) assert.deepEqual(use(value), ['operations invalid_type'])
  assert.deepEqual(wrong('images/process', { source: SOURCE }), ['operations required'])
  assert.deepEqual(use([null, 'a', [], {}, { type: null }]), [
    'operations.0 invalid_type',
    'operations.1 invalid_type',
    'operations.2 invalid_type',
    'operations.3.type required',
    'operations.4.type invalid_type',
  ])
})

test('the fields of each endpoint have the documented bounds [limits.fields.1]', () => {
  const grayscale = { operations: [{ type: 'grayscale' }] }
  const watermark = { operations: [{ type: 'watermark', ...REQUIRED['watermark'] }] }
  const rows: [string, object, string, number, number][] = [
    ['videos/process', grayscale, 'max_duration', 1, 7_200],
    ['videos/screenshot', {}, 'seconds', 0, 86_400],
    ['documents/process', watermark, 'max_pages', 1, 2_000],
    ['documents/snapshot', {}, 'page', 1, 2_000],
  ]
  for (const [endpoint, rest, name, minimum, maximum] of rows) {
    const use = (value: unknown) => wrong(endpoint, { source: SOURCE, ...rest, [name]: value })
    assert.deepEqual([...use(minimum), ...use(maximum)], [])
    for (const value of [minimum - 1, maximum + 1]) assert.deepEqual(use(value), [`${name} out_of_range`])
    for (const value of [null, 1.5, '1']) assert.deepEqual(use(value), [`${name} invalid_type`])
    const elsewhere = ENDPOINTS.filter((other) => other.name !== endpoint)
    for (const other of elsewhere) {
      assert.ok(wrong(other.name, { source: SOURCE, [name]: minimum }).includes(`${name} unknown_parameter`))
    }
  }
  assert.deepEqual(wrong('videos/screenshot', { source: SOURCE }), ['seconds required'])
})

test('output.format accepts exactly the documented formats of the endpoint, and read endpoints reject output [requests.create.2]', () => {
  const own: Record<string, object> = {
    'images/process': { operations: [{ type: 'grayscale' }] },
    'videos/process': { operations: [{ type: 'grayscale' }] },
    'documents/process': { operations: [{ type: 'watermark', ...REQUIRED['watermark'] }] },
    'videos/screenshot': { seconds: 1 },
  }
  const formats: [string, string[]][] = [
    ['images/process', FORMATS.image],
    ['images/read', []],
    ['videos/process', FORMATS.video],
    ['videos/read', []],
    ['videos/screenshot', ['jpg', 'png']],
    ['documents/process', FORMATS.document],
    ['documents/read', []],
    ['documents/snapshot', ['jpg', 'png']],
  ]
  for (const [endpoint, taken] of formats) {
    const use = (output: unknown) => wrong(endpoint, { source: SOURCE, ...own[endpoint], output })
    if (taken.length === 0) {
      assert.deepEqual(use({ format: 'jpg' }), ['output unknown_parameter'])
      continue
    }
    for (const format of [...Object.values(FORMATS).flat(), 'JPG', 'jpeg', 'webm', '']) {
      assert.deepEqual(use({ format }), taken.includes(format) ? [] : ['output.format invalid_value'], format)
    }
    assert.deepEqual(use({}), [])
    assert.deepEqual(use({ format: null }), ['output.format invalid_type'])
    assert.deepEqual(use(null), ['output invalid_type'])
    assert.deepEqual(use({ format: taken[0], quality: 1 }), ['output.quality unknown_parameter'])
    const { parameters, input } = validateBody(named(endpoint), { source: SOURCE, ...own[endpoint] })
    assert.deepEqual([parameters['output'], 'output' in input], [{ format: taken[0] }, false])
  }
})

test('errors list every invalid field in document order, and missing fields last [errors.body.2]', () => {
  const body = JSON.parse(
    '{"metadata":{"k":1},"operations":[{"type":"resize","shine":1,"width":0},{"type":"sepia"}],"__proto__":{},"output":{"format":1},"webhook_url":1}',
  )
  assert.deepEqual(wrong('images/process', body), [
    'metadata.k invalid_type',
    'operations.0.shine unknown_parameter',
    'operations.0.width out_of_range',
    'operations.0.height required',
    'operations.1.threshold required',
    '__proto__ unknown_parameter',
    'output.format invalid_type',
    'webhook_url invalid_type',
    'source required',
  ])
})

test('an endpoint rejects a field named __proto__, which the schema alone would silently drop [errors.body.2]', () => {
  const faults = (text: string) => {
    try {
      parseBody({ name: 'templates', schema: newTemplate }, JSON.parse(text))
      return []
    } catch (error) {
      return error instanceof ApiError ? (error.errors ?? []).map(({ code, message }) => `${code}: ${message}`) : []
    }
  }
  const check = (text: string, ...parts: string[]) => {
    const [found = '', ...others] = faults(text)
    assert.deepEqual(others, [], text)
    assert.match(found, naming(...parts))
  }
  const rule = ['not allowed', 'use another name'] as const
  const variable = '{"type":"integer"}'
  check(`{"name":"a","variables":{"__proto__":${variable}}}`, 'unknown_parameter: variables.__proto__ ', ...rule)
  check(
    '{"name":"a","operations":[{"type":"flip"},{"type":"flip","__proto__":{}}]}',
    'unknown_parameter: operations[1].__proto__ ',
    ...rule,
  )
  check('{"name":"a","output":{"__proto__":null}}', 'unknown_parameter: output.__proto__ ', ...rule)
  for (const name of ['Width', 'constructor', '_a', 'a-b', '']) {
    check(
      `{"name":"a","variables":{"${name}":${variable}}}`,
      `invalid_value: variables.${name} `,
      '1 to 64 characters of a-z, 0-9, and _',
      'letter first',
    )
  }
})

test('an endpoint rejects a name like toString, which every JavaScript object has, with the usual error for an unknown name [errors.messages.1]', () => {
  const faultOf = (operation: object, output: object) => {
    try {
      validateBody(named('images/process'), { source: SOURCE, operations: [operation], output })
      return []
    } catch (error) {
      return error instanceof ApiError ? (error.errors ?? []).map(({ message }) => message) : []
    }
  }
  for (const name of ['constructor', 'toString', '__defineGetter__']) {
    const like = (message: string) => message.replaceAll('qqqqqqqqqqqq', name)
    const operation = (field: string) => ({ type: 'resize', width: 1, height: 1, [field]: 1 })
    assert.deepEqual(
      faultOf(operation(name), { format: name }),
      faultOf(operation('qqqqqqqqqqqq'), { format: 'qqqqqqqqqqqq' }).map(like),
    )
  }
})

test('an error message states the requirement of its field, both bounds, and the sent value [errors.messages.1]', () => {
  const output = (endpoint: string, fields: object) => {
    try {
      validateBody(named(endpoint), { source: SOURCE, ...fields })
      return []
    } catch (error) {
      return error instanceof ApiError ? (error.errors ?? []).map(({ message }) => message) : []
    }
  }
  const operations = [
    { type: 'resize', width: 2 ** 60, height: '1' },
    { type: 'watermark', ...REQUIRED['watermark'], x: -(2 ** 60), tile_spacing_x: '1' },
  ]
  const check = (messages: string[], expected: readonly (readonly string[])[]) => {
    assert.equal(messages.length, expected.length)
    for (const [index, parts] of expected.entries())
      for (const part of parts) assert.ok(messages[index]?.includes(part), `${part}: ${messages[index]}`)
  }
  check(output('images/process', { operations }), [
    ['operations[0].width', 'integer', '1 to 20000', 'got 1152921504606847000'],
    ['operations[0].height', 'integer', '1 to 20000', 'got "1"'],
    ['operations[1].x', 'integer', '-20000 to 20000', 'got -1152921504606847000'],
    ['operations[1].tile_spacing_x', 'number', '0 to 20000', 'got "1"'],
  ])
  for (const [seconds, shown] of [
    ['1', '"1"'],
    [1.5, '1.5'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ]) {
    check(output('videos/screenshot', { seconds }), [['seconds', 'integer', '0 to 86400', `got ${shown}`]])
  }
})

test('an endpoint rejects text with a NUL or a lone surrogate in any field, with a readable message [api.body.3]', () => {
  assert.deepEqual(wrong('images/read', { source: 'a\u0000' }), ['source invalid_value'])
  assert.deepEqual(wrong('images/read', { source: SOURCE, customer: '\udc00' }), ['customer invalid_value'])
  assert.deepEqual(wrong('images/read', { source: SOURCE, metadata: { 'a\u0000': 'b' } }), [
    'metadata.a\uFFFD invalid_value',
  ])
  assert.deepEqual(wrong('images/read', { source: SOURCE, '\ud800': 1 }), [
    '\uFFFD unknown_parameter',
    '\uFFFD invalid_value',
  ])
})

test('the error for a body that is not an object lists no invalid fields [api.body.1]', () => {
  for (const body of [undefined, null, [], 'x', 1, true]) assert.deepEqual(wrong('images/read', body), [])
  assert.throws(() => validateBody(named('images/read'), []), { code: 'validation_failed', param: undefined })
})

test('an endpoint rejects a hostile body of one megabyte without collecting all its errors', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `k${index}`)
  const body = Object.fromEntries(names.map((name) => [name, 1]))
  assert.equal(wrong('images/read', body).length, 1000)
  assert.ok(wrong('images/read', { source: SOURCE, metadata: body }).length < 1000)
  assert.ok(wrong('images/process', { source: SOURCE, operations: names.map(() => ({})) }).length < 1000)
})

test('a body with 9,600 unknown fields takes at most 80 ms of processor time, and its error lists 1,000 of the fields', () => {
  const operation = Object.fromEntries(Array.from({ length: 480 }, (_, index) => [`widthh${index}`, 1]))
  const operations = Array.from({ length: 20 }, () => ({ type: 'resize', ...operation }))
  const times = Array.from({ length: 8 }, () => {
    const before = process.cpuUsage()
    assert.throws(
      () => validateBody(endpointNamed('images/process'), { source: 'https://example.com/a.jpg', operations }),
      (error) => error instanceof ApiError && error.errors?.length === 1000,
    )
    return process.cpuUsage(before).user / 1000
  })
  assert.ok(Math.min(...times) < 80, `${times.map(Math.round).join(', ')} ms`)
})

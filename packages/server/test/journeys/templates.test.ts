import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_TEMPLATE_VERSIONS } from '@mediamill/contract/domain/limits'
import { quarters } from '@mediamill/lab/support/images'
import { naming } from '@mediamill/lab/support/message'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'

const sources = await sharedSourceServer({ '/a.png': await quarters(64, 48), '/mark.png': await quarters(8, 8) })
const service = await sharedService({ allowed: [sources.host] })

const width = (value: unknown = { variable: 'width' }) => ({ type: 'resize', width: value, height: 100 })

const product = (name: string, more: object = {}) => ({
  name,
  operations: [width()],
  output: { format: { variable: 'format' } },
  variables: {
    width: { type: 'integer', minimum: 8, maximum: 100, default: 32 },
    format: { type: 'string', enum: ['webp', 'png'], default: 'webp' },
  },
  ...more,
})

const create = async (body: object) => await service.call('POST', '/v1/templates', { body })

const faults = ({ status, body }: { status: number; body: Json }) => [
  status,
  body['error'].code,
  ...(body['error'].errors ?? []).map(({ param, code }: Json) => `${param} ${code}`),
]

test('parallel calls that create a template with the same name get different versions [templates.create.1]', async () => {
  const bodies = Array.from({ length: 5 }, (_, index) => product('parallel', { operations: [width(index + 8)] }))
  const made = await Promise.all(bodies.map(create))
  assert.deepEqual(
    made.map(({ body }) => body.version).toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5],
  )
})

test('a template can have outputs, and a request that runs it is charged for each output [templates.run.1]', async () => {
  const outputs = [{ name: 'large' }, { name: 'small', operations: [width(8)], quality: { variable: 'quality' } }]
  const variables = { quality: { type: 'integer' } }
  const made = await create({ name: 'files', outputs, variables })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const body = { source: sources.url('/a.png'), template: 'files', variables: { quality: 50 } }
  const request = await service.finish('/v1/images/process', body)
  assert.deepEqual(
    request.result.files.map(({ name }: Json) => name),
    ['large', 'small'],
  )
  assert.equal(request.price.micro_usd, 4_000)
})

test('the error of an invalid template run names the variable; fields that the template sets are rejected in the call [templates.run.2]', async () => {
  await create(product('errors'))
  await create({
    name: 'logo',
    operations: [{ type: 'watermark', image_url: { variable: 'logo' }, x: { variable: 'x' }, y: 0 }],
    variables: { logo: { type: 'string' }, x: { type: 'integer' } },
  })
  const source = sources.url('/a.png')
  const run = async (body: object, endpoint = 'images/process') =>
    faults(await service.call('POST', `/v1/${endpoint}`, { body: { source, ...body } }))
  for (const [body, ...expected] of [
    [{ template: 'errors', variables: { width: 7 } }, 'variables.width out_of_range'],
    [{ template: 'errors', variables: { width: '7' } }, 'variables.width invalid_type'],
    [{ template: 'errors', variables: { format: 'gif' } }, 'variables.format invalid_value'],
    [{ template: 'errors', variables: { height: 7 } }, 'variables.height unknown_parameter'],
    [{ template: 'errors', variables: JSON.parse('{"__proto__": 7}') }, 'variables.__proto__ unknown_parameter'],
    [{ template: 'errors', operations: [width(8)] }, 'operations invalid_value'],
    [{ template: 'errors', unknown: 1 }, 'unknown unknown_parameter'],
    [{ template: 'Errors' }, 'template invalid_value'],
    [{ variables: { width: 8 }, operations: [width(8)] }, 'template required'],
    [{ template: 'logo', variables: { x: 1 } }, 'variables.logo required'],
    [{ template: 'logo', variables: { logo: source, x: 20_001 } }, 'variables.x out_of_range'],
  ] as const) {
    assert.deepEqual(await run(body), [422, 'validation_failed', ...expected], JSON.stringify(body))
  }
  assert.deepEqual(await run({ template: 'errors' }, 'documents/snapshot'), [
    422,
    'validation_failed',
    'template invalid_value',
  ])
  assert.deepEqual(await run({ template: 'missing' }), [422, 'template_not_found'])
  assert.deepEqual(await run({ template: 'errors@9' }), [422, 'template_not_found'])
  const blocked = { source, template: 'logo', variables: { logo: 'http://127.0.0.2/a.png', x: 0 } }
  const rejected = await service.call('POST', '/v1/images/process', { body: blocked })
  assert.deepEqual(
    [rejected.status, rejected.body.error.code, rejected.body.error.param],
    [422, 'url_blocked', 'variables.logo'],
  )
})

test('the service rejects a template whose fields, variables, or size are invalid [templates.create.3, templates.limits.1]', async () => {
  const variables = { width: { type: 'integer' } }
  for (const [body, ...expected] of [
    [{ name: 'Bad', operations: [width(8)] }, 'name invalid_value'],
    [
      { name: 'bad', operations: [width(8)], variables: JSON.parse('{"__proto__": {"type": "integer"}}') },
      'variables.__proto__ unknown_parameter',
    ],
    [{ name: 'bad', operations: [width()] }, 'operations.0.width invalid_value'],
    [{ name: 'bad', operations: [width(0)] }, 'operations.0.width out_of_range'],
    [{ name: 'bad', operations: [{ type: 'no_such_operation' }] }, 'operations.0.type unknown_operation'],
    [{ name: 'bad' }, 'operations required'],
    [{ name: 'bad', endpoint: 'images/read' }, 'endpoint invalid_value'],
    [{ name: 'bad', seconds: 1, operations: [width(8)] }, 'seconds unknown_parameter'],
    [
      {
        name: 'bad',
        operations: [{ type: 'resize', width: 8, height: { variable: 'width' }, crop_center: { variable: 'width' } }],
        variables,
      },
      'operations.0.crop_center invalid_type',
    ],
    [
      { name: 'bad', operations: [width()], variables: { width: { type: 'integer', default: 0 } } },
      'operations.0.width out_of_range',
    ],
    [
      { name: 'bad', operations: [width()], variables: { width: { type: 'integer', default: 1, minimum: 2 } } },
      'variables.width.default invalid_value',
    ],
    [
      { name: 'bad', operations: [width()], variables: { width: { type: 'integer', minimum: 3, maximum: 2 } } },
      'variables.width.minimum invalid_value',
    ],
    [
      { name: 'bad', operations: [width(8)], output: { destination: { url: 'https://example.com/put?sig=1' } } },
      'output.destination invalid_value',
    ],
    [
      {
        name: 'bad',
        operations: [width(8)],
        output: { format: { variable: 'f' }, destination: { url: { variable: 'u' } } },
        variables: { f: { type: 'string' }, u: { type: 'string' } },
      },
      'output.destination invalid_value',
    ],
    [
      {
        name: 'bad',
        outputs: [{ quality: { variable: 'q' } }, { destination: { url: 'https://example.com/put?sig=1' } }],
        variables: { q: { type: 'integer' } },
      },
      'outputs.1.destination invalid_value',
    ],
  ] as const) {
    assert.deepEqual(faults(await create(body)), [422, 'validation_failed', ...expected], JSON.stringify(body))
  }
  const text = await create({ name: 'bad', operations: 'flip' })
  assert.match(text.body.error.message, naming('operations', 'array', 'got "flip"'))
  const description = 'a'.repeat(200)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, { type: 'integer' }]))
  assert.deepEqual(faults(await create({ name: 'bad', operations: [width(8)], variables: many })), [
    422,
    'validation_failed',
    'variables too_long',
  ])
  const large = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`v${index}`, { type: 'string', enum: ['b'.repeat(300)], description }]),
  )
  const rejected = await create({ name: 'bad', operations: [width(8)], variables: large })
  assert.match(rejected.body.error.message, /^A template must have at most 16384 bytes \(got \d+\)\.$/)
})

test('creating a template version above the maximum per account is rejected [templates.limits.1]', async () => {
  const other = await openAccount(service.sql)
  const fill = MAX_TEMPLATE_VERSIONS - 1
  await service.sql`
    insert into templates (account_id, name, version, endpoint, fields, variables)
    select ${other.id}, 'full', version, 'images/process', '{}', '{}' from generate_series(1, ${fill}::integer) as version`
  const add = async (operations: object[]) =>
    await service.call('POST', '/v1/templates', { key: other.liveKey, body: { name: 'one', operations } })
  assert.equal((await add([width(8)])).status, 201)
  assert.deepEqual(faults(await add([width(9)])), [422, 'validation_failed', 'name out_of_range'])
  assert.equal((await add([width(8)])).status, 200)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { API_ERRORS, FAILURE_CODES } from '@mediamill/contract/domain/errors'
import { ENDPOINTS, endpointNamed } from '@mediamill/contract/endpoints/index'
import { validateBody } from '@mediamill/contract/endpoints/validation'
import { EXAMPLE_BASE_URL } from '@mediamill/contract/objects/samples'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describedFiles } from '../../../scripts/description/described-files.ts'
import { readConfig } from '../src/config/config.ts'

const root = join(import.meta.dirname, '../../..')
const written = readFileSync(join(root, 'docs/openapi.json'), 'utf8')
const description: Json = JSON.parse(written)

const service = await sharedService({ workers: false })

test('the generated files that describe the API are up to date with the declarations (if not, run node scripts/write-openapi.ts)', () => {
  const files = Object.entries(describedFiles())
  assert.ok(files.length > 0)
  for (const [file, text] of files) assert.ok(readFileSync(join(root, file), 'utf8') === text, file)
})

test('the OpenAPI 3.1 description has version 1.0.0, and passes a linter [api.versions.2]', async () => {
  assert.deepEqual([description.openapi, description.info.version], ['3.1.0', '1.0.0'])
  const lint = async (source: string) => {
    const problems = await lintFromString({ source, config: await createConfig({ extends: ['recommended-strict'] }) })
    return problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)
  }
  assert.deepEqual(await lint(written), [])
  const broken = structuredClone(description)
  delete broken.paths['/v1/account'].get.operationId
  broken.paths['/v1/usage'].get.responses['200'].content['application/json'].schema.$ref = '#/nowhere'
  assert.ok((await lint(JSON.stringify(broken))).length >= 3)
})

test('every schema, field, and parameter in the OpenAPI description is described, and a default does not make a field required', () => {
  const { schemas } = description.components
  const bare: string[] = []
  const walk = (schema: Json, where: string) => {
    if (typeof schema !== 'object' || schema === null) return
    assert.ok(!Object.hasOwn(schema, 'default') || where.endsWith('.properties'), `${where} has a default`)
    for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
      if (field.description === undefined && field.$ref === undefined) bare.push(`${where}.${name}`)
      if (field['x-default'] !== undefined) assert.match(field.description, /Default: `/, `${where}.${name}`)
      walk(field, `${where}.${name}`)
    }
    walk(schema.items, `${where}[]`)
    walk(schema.additionalProperties, `${where}{}`)
  }
  for (const [name, schema] of Object.entries<Json>(schemas)) {
    if (schema.description === undefined) bare.push(name)
    walk(schema, name)
  }
  for (const [path, operations] of Object.entries<Json>(description.paths)) {
    for (const { summary, description: text, parameters = [] } of Object.values<Json>(operations)) {
      if (!(summary.length > 0 && text.length > 0)) bare.push(path)
      for (const one of parameters) if (one.description === undefined && one.$ref === undefined) bare.push(path)
    }
  }
  assert.deepEqual(bare, [])
  assert.deepEqual(
    [schemas.ResizeOperation.required, schemas.DocumentsSnapshotBody.required],
    [['type', 'width', 'height'], ['source']],
  )
})

test('the color format in the OpenAPI description accepts exactly the colors that the API accepts, including upper case [operations.values.1]', () => {
  const { pattern } = description.components.schemas.BorderOperation.properties.color
  for (const color of ['#FF8800', 'ff8800', '#Fa0', '11223344']) {
    assert.match(color, new RegExp(pattern), color)
    const border = { type: 'border', top: 1, bottom: 1, left: 1, right: 1, color }
    validateBody(endpointNamed('images/process'), { source: 'https://example.com/a', operations: [border] })
  }
  for (const color of ['red', '#ff880', '#gggggg']) assert.doesNotMatch(color, new RegExp(pattern), color)
})

test('the OpenAPI description has a relative server URL, and no example of an Idempotency-Key, because each key works only once', () => {
  assert.deepEqual(
    Object.keys(description.components.parameters.IdempotencyKey).filter((name) => name.startsWith('example')),
    [],
  )
  const { schema } = description.components.parameters.IdempotencyKey
  assert.deepEqual(Object.keys(schema).toSorted(), ['maxLength', 'minLength', 'type'])
  assert.deepEqual(description.servers, [{ url: '/', description: 'This service' }])
})

test('every path in the OpenAPI description exists, and every processing endpoint is in the description [api.versions.2]', async () => {
  for (const [path, operations] of Object.entries<Json>(description.paths)) {
    for (const method of Object.keys(operations).filter((name) => name !== 'parameters')) {
      const { status } = await service.call(method.toUpperCase(), path.replace('{id}', '1'), { key: null })
      const isSigned = path === '/v1/results/{id}' || path === '/v1/uploads/{id}/content'
      assert.equal(status, isSigned ? 403 : 401, `${method} ${path}`)
      const { responses } = operations[method]
      assert.ok('500' in responses)
    }
  }
  for (const endpoint of ENDPOINTS) {
    const { responses } = description.paths[`/v1/${endpoint.name}`].post
    const statuses = ['200', '202', '401', '402', '403', '409', '422', '429', '500', '503']
    assert.deepEqual(Object.keys(responses).toSorted(), statuses)
  }
})

test('every example in the OpenAPI description is a valid call or response', async () => {
  for (const endpoint of ENDPOINTS) {
    const { post } = description.paths[`/v1/${endpoint.name}`]
    const { example } = post.requestBody.content['application/json']
    const { source, customer, metadata, ...input } = example
    assert.deepEqual(validateBody(endpoint, example).input, input)
    const declared = JSON.stringify(endpoint.example.body).replaceAll(EXAMPLE_BASE_URL, readConfig({}).baseUrl)
    assert.deepEqual(input, JSON.parse(declared))
    assert.deepEqual(endpoint.data.parse(endpoint.example.data), endpoint.example.data)
    const body = { ...example, source: 'https://1.1.1.1/a' }
    for (const operation of body.operations ?? []) {
      if (operation.image_url !== undefined) operation.image_url = 'https://1.1.1.1/m.png'
    }
    const accepted = await service.call('POST', `/v1/${endpoint.name}`, { body })
    assert.equal(accepted.status, 202)
    const queued = post.responses['202'].content['application/json'].example
    assert.deepEqual(Object.keys(accepted.body), Object.keys(queued))
  }
  const { example } = description.paths['/v1/account'].get.responses['200'].content['application/json']
  assert.deepEqual(Object.keys((await service.call('GET', '/v1/account')).body), Object.keys(example))
})

test('the OpenAPI description lists every error and failure code with its meaning, and describes the webhooks', () => {
  const { ErrorDetails, Failure } = description.components.schemas
  assert.deepEqual(ErrorDetails.properties.code.enum, [...new Set([...Object.keys(API_ERRORS), ...FAILURE_CODES])])
  assert.deepEqual(Failure.properties.code.enum, [...FAILURE_CODES])
  for (const code of [...Object.keys(API_ERRORS), ...FAILURE_CODES]) {
    assert.match(description.info.description, new RegExp(`\`${code}\` \\| \\S`))
  }
  assert.deepEqual(Object.keys(description.webhooks), ['request.succeeded', 'request.failed', 'request.aborted'])
})

test('reading the OpenAPI description needs no key [api.paths.2]', async () => {
  const served = await service.call('GET', '/v1/openapi.json', { key: null })
  assert.deepEqual(served.body, JSON.parse(written.replaceAll(readConfig({}).baseUrl, service.url)))
})

test('the API reference has every call with its fields, an example, and a link to the playground [api.versions.2]', async () => {
  const page = await fetch(`${service.url}/docs/reference/calls.md`)
  const sections = (await page.text()).split(/^### /m)
  const sectionOf = (title: string) => sections.find((section) => section.startsWith(`${title}\n`)) ?? ''
  for (const [path, methods] of Object.entries<Record<string, Json>>(description.paths)) {
    for (const [verb, call] of Object.entries<Json>(methods)) {
      const title = `${verb.toUpperCase()} ${path}`
      const section = sectionOf(title)
      assert.ok(section.includes(call['summary']) && section.includes(call['description']), title)
      for (const [status, { $ref }] of Object.entries<{ $ref?: string }>(call['responses'])) {
        const isOwn = $ref !== '#/components/responses/Unavailable'
        assert.ok((isOwn ? section : sections[0])?.includes(isOwn ? `\n| ${status} | ` : 'also return 503'), title)
      }
      assert.equal([...section.matchAll(/^curl /gm)].length, 1, title)
      assert.doesNotMatch(section, /undefined|\[object /, title)
    }
  }
  for (const { name, body } of ENDPOINTS) {
    const section = sectionOf(`POST /v1/${name}`)
    for (const field of Object.keys(body.shape)) assert.ok(section.includes(`\n| \`${field}\` | `), `${name}: ${field}`)
    assert.ok(section.includes(`(${service.url}/console/playground?endpoint=${encodeURIComponent(name)})`), name)
  }
  for (const name of Object.keys(description.components.schemas)) assert.notEqual(sectionOf(name), '', name)
})

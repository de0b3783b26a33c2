import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import type { CatalogParameter } from '@mediamill/contract/objects/catalog'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { operationSchema } from '@mediamill/contract/operations/schema'
import { Command } from 'commander'
import { z } from 'zod'
import { allOperations, STILL_FORMATS, shippedCatalog } from './catalog.ts'
import { ENDPOINT_NAMES } from './endpoint-names.ts'
import { addOperationFlags } from './operation-flags.ts'

test('the catalog in the CLI package equals the catalog of the server (if not, run node scripts/write-openapi.ts)', () => {
  assert.deepEqual(shippedCatalog(), JSON.parse(JSON.stringify(presentCatalog().data)))
})

test('requests --endpoint accepts exactly the endpoint names of the contract', () => {
  assert.deepEqual(ENDPOINT_NAMES.toSorted(), ENDPOINTS.map(({ name }) => name).toSorted())
})

test('the CLI catalog lists the same screenshot and snapshot formats as the endpoint schemas', () => {
  for (const { name, body } of ENDPOINTS.filter(({ name }) => /screenshot|snapshot/.test(name))) {
    const schema = JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }))
    assert.ok(schema.includes(`"enum":${JSON.stringify(STILL_FORMATS)}`), name)
  }
})

function sampleOf(
  name: string,
  { type, minimum, maximum, enum: values, default: fallback }: CatalogParameter,
): unknown {
  if (type === 'boolean') return fallback !== true
  if (type === 'integer' || type === 'number') return [maximum, minimum, 1].find((value) => value !== fallback) ?? 1
  if (values !== undefined) return values.find((value) => value !== fallback)
  return name.endsWith('_url') ? 'https://example.com/logo.png' : name.includes('color') ? '336699' : 'text'
}

const typed = (type: string, words: string[]) => {
  const command = new Command().exitOverride()
  const operations = addOperationFlags(command)
  command.parse([`--${type.replaceAll('_', '-')}`, ...words], { from: 'user' })
  return operations
}

const cases = Object.entries(allOperations()).flatMap(([type, { params }]) =>
  Object.keys(params).map((param) => ({ type, param, params })),
)

test('a flag can set every parameter of the catalog, and the resulting body is valid', () => {
  assert.ok(cases.length >= 30)
  for (const { type, param, params } of cases) {
    const chosen = Object.entries(params).filter(([name, { required }]) => required || name === param)
    const set = Object.fromEntries(chosen.map(([name, one]) => [name, sampleOf(name, one)]))
    const [operation, ...others] = typed(type, [
      Object.entries(set)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(','),
    ])
    assert.deepEqual([operation, others], [{ type, ...set }, []])
    const media = MEDIA_TYPES.filter((one) => type in presentCatalog().data[one].operations)
    for (const one of media) assert.equal(operationSchema(one).safeParse(operation).success, true, `${type}.${param}`)
  }
})

test('an unknown operation that --operation passes as JSON keeps its position among the operation flags', () => {
  const command = new Command().exitOverride()
  const operations = addOperationFlags(command)
  const newer = '{"type":"swirl","degrees":3}'
  command.parse(['--orient', '--operation', newer, '--resize', '10x20'], { from: 'user' })
  assert.deepEqual(operations, [
    { type: 'orient' },
    { type: 'swirl', degrees: 3 },
    { type: 'resize', width: 10, height: 20 },
  ])
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { clientTypes } from '../../../scripts/client/client-types.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const description = JSON.parse(read('docs/openapi.json'))

test('packages/sdk/src/api-types.ts matches docs/openapi.json (if not, run node scripts/write-client-types.ts)', () => {
  assert.equal(read('packages/sdk/src/api-types.ts'), clientTypes(description))
})

test('a new bound, value, or field in the OpenAPI description appears in the generated types', () => {
  const changed = structuredClone(description)
  changed.components.schemas.FilterOperation.properties.name.enum.push('tulip')
  changed.components.schemas.QueuedRequest.properties.place = { type: 'integer', description: 'Place in the queue.' }
  const types = clientTypes(changed)
  assert.match(types, /'xpro2' \| 'tulip'$/m)
  assert.match(types, /\/\*\* Place in the queue\. \*\/\n {2}place\?: number \| undefined/)
})

test('the types of calls reject unknown values, and the types of responses accept unknown values', () => {
  const types = read('packages/sdk/src/api-types.ts')
  const declaration = (name: string) => types.split(/^export type /m).find((one) => one.startsWith(`${name} = `)) ?? ''
  assert.match(declaration('Failure'), /'processing_failed' \| \(string & \{\}\)/)
  assert.doesNotMatch(declaration('FilterOperation'), /string & /)
  assert.match(declaration('ImagesProcessParams'), /^ {2}source: MediaSource$/m)
  assert.match(declaration('WatermarkOperationParams'), /^ {2}image_url: MediaSource$/m)
  assert.match(declaration('WatermarkOperation'), /^ {2}image_url: string$/m)
})

test('type comments contain the limits that types cannot express: ranges, lengths, defaults, and formats', () => {
  const types = read('packages/sdk/src/api-types.ts')
  const declaration = (name: string) => types.split(/^export type /m).find((one) => one.startsWith(`${name} = `)) ?? ''
  assert.match(declaration('ResizeOperation'), /in pixels\. Integer, 1 to 20000\. \*\/\n {2}width: number/)
  assert.match(declaration('BorderOperation'), /Hex: `#rgb`, .*\*\/\n {2}color: string/)
  assert.match(declaration('ImagesProcessParams'), /At most 64 characters\. \*\/\n {2}customer\?/)
  assert.match(declaration('ImagesProcessParams'), /1 to 20 items\. \*\/\n {2}operations/)
  assert.match(declaration('ImagesProcessParams'), /At most 20 keys\. \*\/\n {2}metadata\?/)
  assert.match(declaration('ExposureOperation'), /Default: `0`\. Integer, -100 to 100\. \*\/\n {2}contrast\?/)
})

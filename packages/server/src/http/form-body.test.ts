import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@mediamill/contract/domain/errors'
import { z } from 'zod'
import { bodyOfForm } from './form-body.ts'

const FIELDS = {
  source: z.string(),
  customer: z.string(),
  level: z.enum(['basic', 'full']),
  page: z.int(),
  metadata: z.record(z.string(), z.string()),
  outputs: z.array(z.object({})),
}
const bodyOf = (texts: Record<string, string>, files: Record<string, string> = {}) =>
  bodyOfForm(FIELDS, { texts: new Map(Object.entries(texts)), files: new Map(Object.entries(files)) })

test('a form field is parsed as the type of its endpoint field, and an invalid number stays text, which the validation rejects', () => {
  assert.deepEqual(bodyOf({ customer: '5', level: 'full', page: '5', metadata: '{"a":"b"}', outputs: '[{}]' }), {
    customer: '5',
    level: 'full',
    page: 5,
    metadata: { a: 'b' },
    outputs: [{}],
  })
  assert.deepEqual(bodyOf({ page: 'five', unknown: '5' }), { page: 'five', unknown: '5' })
  assert.deepEqual(bodyOf({ request: '{"customer":"a"}', page: '1' }, { source: 'up_1' }), {
    customer: 'a',
    page: 1,
    source: 'up_1',
  })
})

test('invalid JSON, a repeated field, and an unused file in a form are errors that name the form part [direct.parts.2]', () => {
  const errorOf = (texts: Record<string, string>, files = {}) => {
    try {
      bodyOf(texts, files)
    } catch (error) {
      assert.ok(error instanceof ApiError)
      return error.message
    }
    return undefined
  }
  assert.match(errorOf({ outputs: 'x' }) ?? '', /^outputs: the part/)
  assert.match(errorOf({ page: '[1' }) ?? '', /^page: the part/)
  assert.match(errorOf({ request: '[]' }) ?? '', /^request must be a JSON object/)
  assert.match(errorOf({ request: '{"page":1}', page: '1' }) ?? '', /^page is in the part "request" and also/)
  assert.match(errorOf({}, { logo: 'up_1' }) ?? '', /^The form has a file part "logo" that nothing uses/)
  const imageUrl = (part: string) => ({ outputs: `[{"image_url":"part:${part}"}]` })
  assert.match(errorOf(imageUrl('x'), { source: 'up_1' }) ?? '', /the file part "x", which the form does not have/)
  assert.match(errorOf(imageUrl('source'), { source: 'up_1' }) ?? '', /cannot be the file part "source"/)
})

test('metadata of a form stays as sent, even if its text looks like a file part [requests.object.3]', () => {
  const metadata = { image_url: 'part:source' }
  assert.deepEqual(bodyOf({ metadata: JSON.stringify(metadata) }, { source: 'up_1' }), { metadata, source: 'up_1' })
})

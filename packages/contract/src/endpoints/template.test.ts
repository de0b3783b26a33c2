import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyRestrictions } from '../console/key-restrictions.ts'
import { ApiError } from '../domain/errors.ts'
import { imagesProcess } from './images-process.ts'
import type { EndpointName } from './index.ts'
import { endpointNamed } from './index.ts'
import { expandTemplate, substitute, templateCall } from './template.ts'
import { parseBody, validateBody } from './validation.ts'

test('the insertion of template variables replaces an object only if its only field is variable and contains a name', () => {
  const used: [string, readonly PropertyKey[]][] = []
  const fields = {
    operations: [{ type: 'grayscale' }, { type: 'resize', width: { variable: 'width' } }],
    text: { variable: 'title', other: 1 },
    number: { variable: 1 },
    empty: {},
  }
  const filled = substitute(fields, [], (name, path) => {
    used.push([name, path])
    return { variable: 'inserted' }
  })
  const resize = { type: 'resize', width: { variable: 'inserted' } }
  assert.deepEqual(filled, { ...fields, operations: [{ type: 'grayscale' }, resize] })
  assert.deepEqual(used, [['width', ['operations', 1, 'width']]])
})

test('the error of an invalid template reference or variable value describes the valid values [templates.run.2]', () => {
  const messageOf = (run: () => unknown) => {
    try {
      run()
    } catch (error) {
      assert.ok(error instanceof ApiError)
      return error.message
    }
    return undefined
  }
  const reference = 'must be the name of a template, such as product for its newest version, or product@3 (got "A").'
  assert.equal(
    messageOf(() => templateCall(imagesProcess, { template: 'A' })),
    `template ${reference}`,
  )
  assert.equal(
    messageOf(() => parseBody({ name: 'key', schema: keyRestrictions }, { templates_only: ['A'] })),
    `templates_only[0] ${reference}`,
  )
  const template = {
    name: 'small',
    version: 1,
    endpoint: imagesProcess.name,
    fields: { operations: [{ type: 'thumbnail', width: { variable: 'width' } }] },
    variables: { width: { type: 'integer', minimum: 1, maximum: 9 } },
  } as const
  for (const width of [null, [1]]) {
    const message = messageOf(() => {
      const call = templateCall(imagesProcess, { template: 'small', variables: { width } })
      assert.ok(call !== undefined)
      expandTemplate(imagesProcess, template, call)
    })
    assert.match(message ?? '', /^variables\.width must be an integer from 1 to 9 \(got /)
  }
})

test('the error of an unknown field lists template only for endpoints that run templates [templates.run.2]', () => {
  const messageOf = (name: EndpointName, field: string) => {
    try {
      validateBody(endpointNamed(name), { source: 'https://example.com/a', [field]: 1 })
    } catch (error) {
      assert.ok(error instanceof ApiError)
      return error.errors?.find(({ param }) => param === field)?.message ?? ''
    }
    return ''
  }
  assert.match(messageOf('images/process', 'templat'), /did you mean template\?.*outputs, template, and variables\.$/)
  assert.match(messageOf('documents/process', 'unknown'), /max_pages, template, and variables\.$/)
  assert.doesNotMatch(messageOf('images/read', 'templat'), /template, /)
})

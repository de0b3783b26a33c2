import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../domain/errors.ts'
import { isOver } from './destination.ts'
import { ENDPOINTS, endpointNamed } from './index.ts'
import { validateBody } from './validation.ts'
import { workOf } from './work.ts'

const URL_SENT = 'https://bucket.s3.example.com/a/b.webp?X-Amz-Date=20260101T000000Z&X-Amz-Signature=secret#part'
const source = 'https://example.com/a'

const bodyOf = (destination: unknown) => ({
  source,
  operations: [{ type: 'grayscale' }],
  output: { format: 'webp', destination },
})

function wrong(destination: unknown): string[] {
  try {
    validateBody(endpointNamed('images/process'), bodyOf(destination))
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return (error.errors ?? []).map(({ param, code }) => `${param.replace('output.destination', '')} ${code}`)
  }
}

test('every endpoint that makes a file accepts a destination, and every other endpoint rejects it [destinations.fields.1]', () => {
  const takes = ENDPOINTS.filter((endpoint) => {
    try {
      validateBody(endpoint, { source, ...endpoint.example.body, output: { destination: { url: URL_SENT } } })
      return true
    } catch {
      return false
    }
  })
  assert.deepEqual(
    takes.map(({ name }) => name),
    ['images/process', 'videos/process', 'videos/screenshot', 'documents/process', 'documents/snapshot'],
  )
})

test("a destination is stored apart from the request's input, so that its signature and secret headers are never shown [destinations.secrets.1]", () => {
  const headers = {
    'Content-Type': 'image/webp',
    'X-Amz-Security-Token': 'secret',
    'x-ms-blob-type': 'BlockBlob',
  }
  const { destinations, input, parameters } = validateBody(
    endpointNamed('images/process'),
    bodyOf({ headers, url: URL_SENT }),
  )
  assert.deepEqual(destinations, [{ param: 'output.destination.url', file: 0, url: URL_SENT, headers }])
  assert.deepEqual(input, {
    operations: [{ type: 'grayscale' }],
    output: {
      format: 'webp',
      destination: { url: 'https://bucket.s3.example.com/a/b.webp', headers: { 'Content-Type': 'image/webp' } },
    },
  })
  assert.deepEqual(parameters['output'], { format: 'webp' })
  const { work } = workOf({ endpoint: 'images/process', input })
  assert.deepEqual('output' in work.parameters && work.parameters.output, { format: 'webp' })
  assert.deepEqual(validateBody(endpointNamed('images/process'), { ...bodyOf(undefined), output: {} }).destinations, [])
})

test('a destination accepts only headers that storage buckets support, each name once, with visible ASCII values of limited length [destinations.headers.1]', () => {
  const use = (headers: unknown) => wrong({ url: URL_SENT, headers })
  const taken = {
    'Content-Type': 'image/webp',
    'cache-control': 'max-age=60, public',
    'content-disposition': 'attachment; filename="a.webp"',
    'x-amz-meta-order': '1977',
    'x-goog-acl': 'private',
    'x-ms-blob-type': 'BlockBlob',
  }
  assert.deepEqual([...use(taken), ...use({}), ...wrong({ url: URL_SENT })], [])
  for (const name of [
    'host',
    'authorization',
    'content-length',
    'transfer-encoding',
    'x-amz-',
    'x-other',
    '__proto__',
  ]) {
    const headers = JSON.parse(`{${JSON.stringify(name)}: "1"}`) as unknown
    assert.deepEqual(use(headers), [`.headers.${name} unknown_parameter`])
  }
  assert.deepEqual(use({ 'x-ms-a\r\nhost': '1' }).length, 1)
  assert.deepEqual(use({ 'Content-Type': 'a/b', 'content-type': 'a/b' }), ['.headers.content-type invalid_value'])
  for (const value of ['', ' a', 'a ', 'a\r\nhost: b', 'a\tb', 'ü', '\u007f']) {
    assert.deepEqual(use({ 'content-type': value }), ['.headers.content-type invalid_value'], JSON.stringify(value))
  }
  assert.deepEqual(use({ 'content-type': 1 }), ['.headers.content-type invalid_type'])
  assert.deepEqual(use({ 'x-ms-meta-a': 'a'.repeat(2048) }), [])
  assert.deepEqual(use({ 'x-ms-meta-a': 'a'.repeat(2049) }), ['.headers.x-ms-meta-a too_long'])
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-ms-meta-a${index}`, '1']))
  assert.deepEqual([use(many(20)), use(many(21))], [[], ['.headers too_long']])
  for (const headers of [null, [], 'a', 1]) assert.deepEqual(use(headers), ['.headers invalid_type'])
  assert.deepEqual(wrong({}), ['.url required'])
  assert.deepEqual(wrong({ url: URL_SENT, acl: 'private' }), ['.acl unknown_parameter'])
  assert.deepEqual(wrong(null), [' invalid_type'])
})

test('an expired signed destination URL is detected to the second [destinations.url.1]', () => {
  const now = new Date('2026-11-22T05:00:00Z')
  const url = (query: string) => `https://bucket.example.com/a?${query}`
  assert.equal(isOver(url('X-Amz-Date=20261122T040000Z&X-Amz-Expires=3600'), now), true)
  assert.equal(isOver(url('X-Amz-Date=20261122T040001Z&X-Amz-Expires=3600'), now), false)
  assert.equal(isOver(url('x-amz-expires=1&x-amz-date=20261122T045958Z'), now), true)
  assert.equal(isOver(url('X-Goog-Date=20261122T040000Z&X-Goog-Expires=3600'), now), true)
  for (const query of ['', 'X-Amz-Date=20200101T000000Z', 'X-Amz-Expires=1', 'X-Amz-Date=2020&X-Amz-Expires=1']) {
    assert.equal(isOver(url(query), now), false, query)
  }
  assert.equal(isOver('no URL', now), false)
})

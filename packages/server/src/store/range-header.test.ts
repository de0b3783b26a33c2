import assert from 'node:assert/strict'
import { test } from 'node:test'
import { etagOf, parseRange } from './range-header.ts'

const SIZE = 1000

test('a Range header returns one range within the file, and a suffix range counts from the end', () => {
  const part = (start: number, end: number) => ({ kind: 'part', start, end })
  assert.deepEqual(parseRange('bytes=0-0', SIZE), part(0, 0))
  assert.deepEqual(parseRange('bytes=0-499', SIZE), part(0, 499))
  assert.deepEqual(parseRange('bytes=999-', SIZE), part(999, 999))
  assert.deepEqual(parseRange('bytes=500-5000', SIZE), part(500, 999))
  assert.deepEqual(parseRange('bytes=-1', SIZE), part(999, 999))
  assert.deepEqual(parseRange('bytes=-5000', SIZE), part(0, 999))
  assert.deepEqual(parseRange('Bytes = 1 - 2', SIZE), part(1, 2))
})

test('a Range header past the end of the file, or with an empty suffix, is unsatisfiable', () => {
  for (const header of ['bytes=1000-', 'bytes=1000-1001', 'bytes=-0'])
    assert.equal(parseRange(header, SIZE).kind, 'unsatisfiable')
  for (const header of ['bytes=0-', 'bytes=-5']) assert.equal(parseRange(header, 0).kind, 'unsatisfiable')
})

test('a result link returns the whole file if the Range header has several ranges, a unit other than bytes, or wrong syntax', () => {
  const headers = [
    undefined,
    '',
    'bytes=',
    'bytes=-',
    'bytes=2-1',
    'bytes=0-1,5-6',
    'items=0-1',
    'bytes=a-b',
    'bytes=1.5-2',
    '0-1',
  ]
  for (const header of headers) assert.deepEqual(parseRange(header, SIZE), { kind: 'whole' }, header)
})

test('a result link returns a range only if If-Range matches the file', () => {
  const etag = etagOf('ab')
  assert.equal(parseRange('bytes=0-1', SIZE, '"ab"', etag).kind, 'part')
  for (const other of ['"cd"', 'W/"ab"', 'Sun, 01 Mar 2026 12:00:00 GMT']) {
    assert.equal(parseRange('bytes=0-1', SIZE, other, etag).kind, 'whole')
  }
})

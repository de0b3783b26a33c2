import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseReply } from './engine-reply.ts'

const FILE = { path: '/scratch/result', format: 'png', size: 1, sha256: '0'.repeat(64) }
const DONE = {
  type: 'done',
  data: { width: 1, title: null, page_size: { width: 1, unit: 'pt' } },
  files: [FILE],
  units: 1,
}
const FAILED = { type: 'failed', error: { code: 'processing_failed', message: 'Too small.' } }

test('the worker parses every valid reply of an engine', () => {
  const replies = [
    { type: 'ready' },
    { type: 'progress', percent: 0 },
    { type: 'progress', percent: 100 },
    { type: 'read', offset: 0, length: 1 },
    { type: 'reserve', bytes: 0 },
    DONE,
    { ...DONE, data: {}, files: [] },
    FAILED,
    { ...FAILED, error: { ...FAILED.error, operation: 0 }, cause: 'a stack' },
    { ...FAILED, error: { ...FAILED.error, message: 'x'.repeat(1000) } },
  ]
  for (const reply of replies) assert.deepEqual(parseReply(JSON.stringify(reply)), reply)
})

const REJECTED: Record<string, unknown> = {
  'a text instead of an object': 'done',
  'an unknown type': { type: 'obey' },
  'a read before the start of the file': { type: 'read', offset: -1, length: 1 },
  'a read of 0 bytes': { type: 'read', offset: 0, length: 0 },
  'a negative amount of memory': { type: 'reserve', bytes: -1 },
  'an additional field': { ...DONE, cmd: 'NODE_HANDLE' },
  'a message of Node itself': { cmd: 'NODE_HANDLE', type: 'net.Socket' },
  'no list of files': { type: 'done', data: {}, units: 1 },
  'a path that is not text': { ...DONE, files: [{ ...FILE, path: 1 }] },
  'a path of 4,097 characters': { ...DONE, files: [{ ...FILE, path: 'x'.repeat(4097) }] },
  'an empty result': { ...DONE, files: [{ ...FILE, size: 0 }] },
  'a negative size': { ...DONE, files: [{ ...FILE, size: -1 }] },
  'an unknown format': { ...DONE, files: [{ ...FILE, format: 'exe' }] },
  'an invalid digest': { ...DONE, files: [{ ...FILE, sha256: '../'.repeat(21) }] },
  'too many files': { ...DONE, files: Array.from({ length: 21 }, () => FILE) },
  'units of 0': { ...DONE, units: 0 },
  'half a unit': { ...DONE, units: 1.5 },
  'too many units': { ...DONE, units: 1e12 },
  'progress past 100': { type: 'progress', percent: 100.1 },
  'progress that is not a number': { type: 'progress', percent: 'all' },
  'a failure code that no engine uses': { ...FAILED, error: { code: 'url_blocked', message: 'x' } },
  'an empty failure message': { ...FAILED, error: { code: 'processing_failed', message: '' } },
  'a failure message of 1,001 characters': {
    ...FAILED,
    error: { code: 'processing_failed', message: 'x'.repeat(1001) },
  },
  'a negative operation index': { ...FAILED, error: { ...FAILED.error, operation: -1 } },
  'metadata of 10,001 characters': { ...DONE, data: { title: 'x'.repeat(10_001) } },
  'metadata with a NUL': { ...DONE, data: { title: 'a\0b' } },
  'metadata with a lone surrogate': { ...DONE, data: { title: '\ud800' } },
  'metadata with an unknown name': { ...DONE, data: { __proto__x: 1 } },
  'deeply nested metadata': { ...DONE, data: { a: { b: { c: 1 } } } },
  'metadata in a list': { ...DONE, data: { a: [1] } },
}

for (const [what, reply] of Object.entries(REJECTED)) {
  test(`the worker rejects an engine reply with ${what}`, () =>
    assert.equal(parseReply(JSON.stringify(reply)), undefined))
}

test('the worker rejects an engine reply with invalid JSON or excessive nesting', () => {
  for (const line of ['', 'ready', '{"type":"ready"', '['.repeat(500_000)]) assert.equal(parseReply(line), undefined)
})

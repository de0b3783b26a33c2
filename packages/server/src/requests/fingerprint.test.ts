import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprintOf } from './fingerprint.ts'

const upload = (digit: string) => `upload:upl_${digit.repeat(32)}`
const DIGESTS = new Map([
  [`upl_${'a'.repeat(32)}`, 'digest of a photo'],
  [`upl_${'b'.repeat(32)}`, 'digest of a photo'],
  [`upl_${'c'.repeat(32)}`, 'digest of a logo'],
])

const of = (body: unknown, path = '/v1/images/process') =>
  fingerprintOf({ method: 'POST', path, body }, (ids) =>
    Promise.resolve(new Map([...DIGESTS].filter(([id]) => ids.includes(id)))),
  )

async function isSame(one: unknown, other: unknown) {
  const [a, b] = [await of(one), await of(other)]
  return { exact: a.exact.equals(b.exact), content: a.content.equals(b.content) }
}

const SAME = { exact: true, content: true }
const SAME_CONTENT = { exact: false, content: true }
const OTHER = { exact: false, content: false }

test('a request fingerprint ignores the order of keys, but depends on the order of array elements and on the path of the call', async () => {
  assert.deepEqual(await isSame({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }), SAME)
  assert.deepEqual(await isSame({ a: 1, b: [1, 2] }, { a: 1, b: [2, 1] }), OTHER)
  assert.ok(!(await of({})).exact.equals((await of({}, '/v1/images/read')).exact))
})

test('request fingerprints compare uploads by content, both as a source and as a watermark', async () => {
  const call = (source: string, logo: string) => ({
    source,
    operations: [{ type: 'grayscale' }, { type: 'watermark', image_url: logo, x: 0, y: 0 }],
  })
  assert.deepEqual(await isSame(call(upload('a'), upload('c')), call(upload('b'), upload('c'))), SAME_CONTENT)
  assert.deepEqual(await isSame(call(upload('a'), upload('a')), call(upload('a'), upload('c'))), OTHER)
  assert.deepEqual(await isSame(call(upload('e'), upload('c')), call(upload('f'), upload('c'))), OTHER)
  const outputs = (logo: string) => ({ outputs: [{ operations: [{ type: 'watermark', image_url: logo }] }] })
  assert.deepEqual(await isSame(outputs(upload('a')), outputs(upload('b'))), SAME_CONTENT)
})

test('a request fingerprint ignores the signature of a presigned URL, but no other part of the URL', async () => {
  const bucket = 'https://bucket.example/photo.jpg'
  for (const [one, other, expected] of [
    ['?X-Amz-Date=1&X-Amz-Signature=a', '?X-Amz-Date=2&X-Amz-Signature=b', SAME_CONTENT],
    ['?versionId=1&X-Amz-Signature=a', '?versionId=2&X-Amz-Signature=a', OTHER],
    ['?X-Goog-Signature=a', '?X-Goog-Signature=b', SAME_CONTENT],
    ['?sv=2024&st=1&se=2&sr=b&sp=r&sig=a', '?sv=2025&st=3&se=4&sr=b&sp=r&sig=b', SAME_CONTENT],
    ['?st=1', '?st=2', OTHER],
    ['?X-Amz-Signature=a#1', '?X-Amz-Signature=a#2', OTHER],
    ['?X-Amz-Signature=a', '', SAME_CONTENT],
  ] as const) {
    assert.deepEqual(await isSame({ source: bucket + one }, { source: bucket + other }), expected, `${one} ${other}`)
  }
  const destination = (url: string) => ({ output: { format: 'png', destination: { url } } })
  const signed = (signature: string) => destination(`${bucket}?X-Amz-Signature=${signature}`)
  assert.deepEqual(await isSame(signed('a'), signed('b')), SAME_CONTENT)
  assert.deepEqual(await isSame({ webhook_url: `${bucket}?sig=a` }, { webhook_url: `${bucket}?sig=b` }), OTHER)
})

test('a request fingerprint can be computed for a body that is not validated', async () => {
  for (const body of [null, 3, 'text', [], { operations: [null, 1, []], output: null, source: 7, destination: [] }]) {
    assert.deepEqual(await isSame(body, structuredClone(body)), SAME)
  }
  const uploads = {
    operations: Array.from({ length: 500 }, (_, index) => ({
      image_url: `upload:upl_${String(index).padStart(32, '0')}`,
    })),
  }
  await fingerprintOf({ method: 'POST', path: '/', body: uploads }, () => {
    throw new Error('too many uploads to look up')
  })
})

test('request fingerprints compare files in template variables by content, and other variables by value', async () => {
  const call = (variables: object) => ({ template: 'product', variables })
  assert.deepEqual(await isSame(call({ logo: upload('a') }), call({ logo: upload('b') })), SAME_CONTENT)
  const signed = (signature: string) => call({ logo: `https://bucket.example/a.png?X-Amz-Signature=${signature}` })
  assert.deepEqual(await isSame(signed('a'), signed('b')), SAME_CONTENT)
  assert.deepEqual(await isSame(call({ text: 'a?sig=1' }), call({ text: 'a?sig=2' })), OTHER)
  assert.deepEqual(await isSame(call({ width: 1 }), call({ width: 2 })), OTHER)
})

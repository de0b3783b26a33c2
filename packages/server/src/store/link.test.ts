import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { fingerprintOf } from '../lib/key-fingerprint.ts'
import { deriveLinkKeys, filePath, ownResult, resultUrl, verifyFile, verifyResult } from './link.ts'

const ID = 4711 as RequestId
const NOW = new Date('2026-03-01T12:00:00Z')
const EXPIRES = new Date('2026-03-08T12:00:00Z')
const SECRET = 'a secret of at least thirty-two characters'
const KEYS = deriveLinkKeys([SECRET])

function partsOf(link: string) {
  const url = new URL(link, 'http://service.example')
  const [key = '', name = ''] = url.pathname.split('/').slice(3).map(decodeURIComponent)
  const query = Object.fromEntries(url.searchParams)
  const { sha256, expires, key: keyId, signature } = query
  return { id: key, fileKey: key, name, sha256, expires, key: keyId, signature }
}

test('a result link works until its expiry time [results.links.4]', () => {
  const link = resultUrl(KEYS, 'http://service.example', ID, EXPIRES)
  assert.match(
    link,
    /^http:\/\/service\.example\/v1\/results\/4711\?expires=1772971200&key=4f8db5a4&signature=[0-9a-f]{64}$/,
  )
  assert.equal(verifyResult(KEYS, partsOf(link), NOW), 'valid')
  assert.equal(verifyResult(KEYS, partsOf(link), new Date(EXPIRES.getTime() - 1)), 'valid')
  assert.equal(verifyResult(KEYS, partsOf(link), EXPIRES), 'expired')
})

test('a link with a changed id, expiry, or signature is invalid_signature, even after its expiry [results.links.2]', () => {
  const right = partsOf(resultUrl(KEYS, '', ID, EXPIRES))
  const later = new Date(EXPIRES.getTime() + 1000)
  const signature = right.signature ?? ''
  const wrong = [
    { ...right, id: '4712' },
    { ...right, id: '04711' },
    { ...right, expires: '1772971201' },
    { ...right, expires: `0${right.expires}` },
    { ...right, expires: undefined },
    { ...right, expires: ['1772971200', '1772971200'] },
    { ...right, key: undefined, id: '4712' },
    { ...right, key: '00000000' },
    { ...right, key: right.key?.toUpperCase() },
    { ...right, key: '' },
    { ...right, signature: undefined },
    { ...right, signature: '' },
    { ...right, signature: signature.slice(1) },
    { ...right, signature: signature.toUpperCase() },
    { ...right, signature: `${signature}0` },
    { ...right, signature: 'ü'.repeat(32) },
    ...Array.from(signature, (digit, index) => ({
      ...right,
      signature: signature.slice(0, index) + (digit === '0' ? '1' : '0') + signature.slice(index + 1),
    })),
  ]
  for (const link of wrong) {
    assert.equal(verifyResult(KEYS, link, NOW), 'invalid_signature', JSON.stringify(link))
    assert.equal(verifyResult(KEYS, link, later), 'invalid_signature', JSON.stringify(link))
  }
})

test('old links still work after a change of SECRET_KEY if SECRET_KEY also lists the old key', () => {
  const link = partsOf(resultUrl(KEYS, '', ID, EXPIRES))
  const rotated = deriveLinkKeys(['another secret of thirty-two characters', SECRET])
  assert.equal(verifyResult(rotated, link, NOW), 'valid')
  assert.notEqual(partsOf(resultUrl(rotated, '', ID, EXPIRES)).signature, link.signature)
  assert.equal(
    verifyResult(deriveLinkKeys(['another secret of thirty-two characters']), link, NOW),
    'invalid_signature',
  )
})

test('a file link works until its file is deleted, and is invalid if the key, name, or digest changes [results.links.2]', () => {
  const file = { key: `${'ab'.repeat(20)}.webp`, name: '4711 ü.webp', sha256: 'f'.repeat(64) }
  const right = partsOf(filePath(KEYS, file, EXPIRES))
  assert.deepEqual([right.fileKey, right.name, right.sha256], [file.key, file.name, file.sha256])
  assert.equal(verifyFile(KEYS, right, NOW), 'valid')
  assert.equal(verifyFile(KEYS, right, new Date(EXPIRES.getTime() - 1)), 'valid')
  assert.equal(verifyFile(KEYS, right, EXPIRES), 'expired')
  for (const changed of [
    { fileKey: `${'cd'.repeat(20)}.webp` },
    { name: 'x.html' },
    { sha256: '0'.repeat(64) },
    { sha256: undefined },
  ]) {
    assert.equal(verifyFile(KEYS, { ...right, ...changed }, NOW), 'invalid_signature')
  }
})

test("a result link's signature is invalid for a file link", () => {
  const swapped = { ...KEYS, result: KEYS.file, file: KEYS.result }
  assert.equal(verifyResult(swapped, partsOf(resultUrl(KEYS, '', ID, EXPIRES)), NOW), 'invalid_signature')
})

test('a link names its signing key, and an older link without the name of a key still works [results.links.6]', () => {
  const keys = deriveLinkKeys(['another secret of thirty-two characters', SECRET])
  const old = partsOf(resultUrl(KEYS, '', ID, EXPIRES))
  assert.equal(old.key, fingerprintOf(SECRET))
  assert.equal(verifyResult(keys, old, NOW), 'valid')
  assert.equal(verifyResult(keys, { ...old, key: undefined }, NOW), 'valid')
  const newest = partsOf(resultUrl(keys, '', ID, EXPIRES))
  assert.notEqual(newest.key, old.key)
  assert.equal(verifyResult(keys, { ...old, key: newest.key }, NOW), 'invalid_signature', 'the name of another key')
  const base = 'http://s.example'
  for (const link of [resultUrl(keys, base, ID, EXPIRES), resultUrl(KEYS, base, ID, EXPIRES).replace(/key=\w+&/, '')]) {
    assert.deepEqual(ownResult(keys, base, link, NOW), { id: '4711', file: undefined, expires: '1772971200' }, link)
  }
})

test('the link check compares a signature that names no key with the signatures of all keys, in constant time', (t) => {
  const compare = t.mock.method(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  t.after(() => {
    compare.mock.restore()
    syncBuiltinESMExports()
  })
  const keys = deriveLinkKeys(['another secret of thirty-two characters', SECRET])
  const right = partsOf(resultUrl(keys, '', ID, EXPIRES))
  const { signature = '' } = right
  const firstWrong = (signature.startsWith('0') ? '1' : '0') + signature.slice(1)
  const lastWrong = signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0')
  for (const given of [signature, firstWrong, lastWrong]) {
    compare.mock.resetCalls()
    verifyResult(keys, { ...right, key: undefined, signature: given }, NOW)
    assert.equal(compare.mock.callCount(), 2)
  }
})

test('the link of one of several result files is valid only for this file', () => {
  const linked = partsOf(resultUrl(KEYS, 'http://service.example', ID, EXPIRES, 'small'))
  assert.match(
    resultUrl(KEYS, 'http://s.example', ID, EXPIRES, 'small'),
    /^http:\/\/s\.example\/v1\/results\/\d+\?file=small&expires=\d+&key=[0-9a-f]{8}&signature=[0-9a-f]{64}$/,
  )
  assert.equal(verifyResult(KEYS, { ...linked, file: 'small' }, NOW), 'valid')
  for (const file of [undefined, 'large', '', 'small\n']) {
    assert.equal(verifyResult(KEYS, { ...linked, file }, NOW), 'invalid_signature', String(file))
  }
  const first = partsOf(resultUrl(KEYS, '', ID, EXPIRES))
  assert.equal(verifyResult(KEYS, { ...first, file: 'small' }, NOW), 'invalid_signature')
})

import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import {
  deriveLinkKeys,
  FILE_LINK_SECONDS,
  fileLinkSeconds,
  filePath,
  resultUrl,
  verifyFile,
  verifyResult,
} from './link.ts'

const ID = 4711 as RequestId
const NOW = new Date('2026-03-01T12:00:00Z')
const EXPIRES = new Date('2026-03-08T12:00:00Z')
const SECRET = 'a secret of at least thirty-two characters'
const KEYS = deriveLinkKeys([SECRET])

function partsOf(link: string) {
  const url = new URL(link, 'http://service.example')
  const [key = '', name = ''] = url.pathname.split('/').slice(3).map(decodeURIComponent)
  const query = Object.fromEntries(url.searchParams)
  return { id: key, key, name, sha256: query.sha256, expires: query.expires, signature: query.signature }
}

test('a result link works until the second of its expiry, and says which [2.2, rulings 8]', () => {
  const link = resultUrl(KEYS, 'http://service.example', ID, EXPIRES)
  assert.match(link, /^http:\/\/service\.example\/v1\/results\/4711\?expires=1772971200&signature=[0-9a-f]{64}$/)
  assert.equal(verifyResult(KEYS, partsOf(link), NOW), 'valid')
  assert.equal(verifyResult(KEYS, partsOf(link), new Date(EXPIRES.getTime() - 1)), 'valid')
  assert.equal(verifyResult(KEYS, partsOf(link), EXPIRES), 'expired')
})

test('a changed id, expiry or signature is a wrong signature, also when the link is old [rulings 8]', () => {
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

test('after a change of SECRET_KEY old links work while the old secret is still listed', () => {
  const link = partsOf(resultUrl(KEYS, '', ID, EXPIRES))
  const rotated = deriveLinkKeys(['another secret of thirty-two characters', SECRET])
  assert.equal(verifyResult(rotated, link, NOW), 'valid')
  assert.notEqual(partsOf(resultUrl(rotated, '', ID, EXPIRES)).signature, link.signature)
  assert.equal(
    verifyResult(deriveLinkKeys(['another secret of thirty-two characters']), link, NOW),
    'invalid_signature',
  )
})

test('a file link lives a minute, and any change to the key, the name or the digest breaks it [rulings 8]', () => {
  const file = { key: `${'ab'.repeat(20)}.webp`, name: '4711 ü.webp', sha256: 'f'.repeat(64) }
  const right = partsOf(filePath(KEYS, file, NOW, FILE_LINK_SECONDS))
  assert.deepEqual([right.key, right.name, right.sha256], [file.key, file.name, file.sha256])
  assert.equal(verifyFile(KEYS, right, NOW), 'valid')
  assert.equal(verifyFile(KEYS, right, new Date(NOW.getTime() + FILE_LINK_SECONDS * 1000 - 1)), 'valid')
  assert.equal(verifyFile(KEYS, right, new Date(NOW.getTime() + FILE_LINK_SECONDS * 1000)), 'expired')
  for (const changed of [
    { key: `${'cd'.repeat(20)}.webp` },
    { name: 'x.html' },
    { sha256: '0'.repeat(64) },
    { sha256: undefined },
  ]) {
    assert.equal(verifyFile(KEYS, { ...right, ...changed }, NOW), 'invalid_signature')
  }
})

test('a file link lives no longer than its file [1, 4.3]', () => {
  const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
  assert.deepEqual(
    [later(3600), later(61), later(60), later(59), later(1), NOW].map((deletedAt) => fileLinkSeconds(NOW, deletedAt)),
    [60, 60, 60, 59, 1, 1],
  )
})

test('a signature for one kind of link is worthless for the other', () => {
  const swapped = { ...KEYS, result: KEYS.file, file: KEYS.result }
  assert.equal(verifyResult(swapped, partsOf(resultUrl(KEYS, '', ID, EXPIRES)), NOW), 'invalid_signature')
})

test('a signature is compared with that of every key, in constant time, whatever of it is right', (t) => {
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
    verifyResult(keys, { ...right, signature: given }, NOW)
    assert.equal(compare.mock.callCount(), 2)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountContext, unseal } from '../accounts/seal.ts'
import { openDestinations, sealDestinations } from './destination.ts'

const KEY = 'a secret key of a test, with 40 letters.'
const to = (file: number) => ({ file, url: `https://bucket.example/${file}`, headers: { 'x-a': 'b' } })
const sealed = (...files: number[]) => sealDestinations(KEY, 7, files.map(to)).value

test('decrypting the stored destinations of a request returns the result file number, URL, and headers of each destination', () => {
  for (const files of [[0], [1], [0, 1], [2, 0]]) {
    assert.deepEqual(openDestinations(KEY, 7, sealed(...files)), files.map(to), `files ${files}`)
  }
})

test('a single destination for the first file is stored in the format of older versions', () => {
  const stored = (...files: number[]) =>
    JSON.parse(unseal(KEY, accountContext(7), sealed(...files), 'destinations')) as unknown
  const { url, headers } = to(0)
  assert.deepEqual(stored(0), { url, headers })
  assert.deepEqual(stored(1), [to(1)])
  assert.deepEqual(stored(0, 1), [to(0), to(1)])
})

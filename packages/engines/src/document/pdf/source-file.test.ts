import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { readSourceFile } from './source-file.ts'

const CATALOG = '1 0 obj\n<</Type/Catalog>>\nendobj\n'
const MIB = 1024 * 1024

function withTableStream(inflatedBytes: number): Buffer {
  const head = `%PDF-1.7\n${CATALOG}`
  const rows = Buffer.alloc(inflatedBytes)
  rows.set([1, 0, 0, 0, '%PDF-1.7\n'.length], 5)
  const data = deflateSync(rows)
  const dictionary = `/Type/XRef/W[1 4 0]/Index[0 2]/Size 2/Root 1 0 R/Filter/FlateDecode/Length ${data.length}`
  return Buffer.concat([
    Buffer.from(`${head}2 0 obj\n<<${dictionary}>>\nstream\n`),
    data,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`),
  ])
}

function withTables(count: number, isCircle = false): Buffer {
  let text = `%PDF-1.7\n${CATALOG}`
  const table = (previous: string) =>
    `xref\n0 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<</Root 1 0 R${previous}>>\n`
  let previous = isCircle ? `/Prev ${text.length}` : ''
  let at = 0
  for (let made = 0; made < count; made += 1) {
    at = text.length
    text += table(previous)
    previous = `/Prev ${at}`
  }
  return Buffer.from(`${text}startxref\n${at}\n%%EOF\n`)
}

const catalogOf = (bytes: Buffer) => readSourceFile(bytes)?.text(1)

test('the PDF reader accepts a cross-reference stream at the limit of decompressed bytes, and rejects a stream one byte larger', () => {
  assert.match(catalogOf(withTableStream(64 * MIB)) ?? '', /Catalog/)
  assert.equal(catalogOf(withTableStream(64 * MIB + 1)), undefined)
})

test('the PDF reader reads the maximum number of cross-reference tables, and rejects one more table or a cycle', () => {
  assert.match(catalogOf(withTables(64)) ?? '', /Catalog/)
  assert.equal(catalogOf(withTables(65)), undefined)
  assert.equal(catalogOf(withTables(3, true)), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCatalog, nodeAt } from './catalog.ts'
import { EditedFile } from './edited-file.ts'
import type { PdfObjects } from './objects.ts'
import { dictionaryAt, resolve } from './objects.ts'
import { decodeString } from './strings.ts'

const objectsOf = (...texts: string[]): PdfObjects => ({
  trailer: new Map([['Root', '1 0 R']]),
  text: (number) => texts[number - 1],
})

test('the PDF reader follows a chain of fifteen references, and rejects a cycle', () => {
  const chain = (steps: number) =>
    objectsOf(...Array.from({ length: steps }, (_, index) => (index === steps - 1 ? '42' : `${index + 2} 0 R`)))
  assert.equal(resolve(chain(15), '1 0 R'), '42')
  assert.equal(resolve(chain(16), '1 0 R'), undefined)
  assert.equal(resolve(objectsOf('2 0 R', '1 0 R'), '1 0 R'), undefined)
  assert.equal(resolve(objectsOf(), '7 0 R'), undefined)
  assert.equal(dictionaryAt(objectsOf('<</A/B>>'), '1 0 R')?.get('A'), '/B')
})

test('the PDF reader decodes only literal and hexadecimal strings as text, including escapes and an odd number of digits', () => {
  assert.equal(decodeString(String.raw`(a\(b\)\101\7\\)`), 'a(b)A\u0007\\')
  assert.equal(decodeString('(one\\\ntwo)'), 'onetwo')
  assert.equal(decodeString('<48 65 6>'), 'He`')
  assert.equal(decodeString('<</A 1>>'), undefined)
  assert.equal(decodeString('/Name'), undefined)
})

function fileOf(...texts: string[]): EditedFile {
  const { trailer, text } = objectsOf(...texts)
  return new EditedFile({ bytes: Buffer.alloc(0), spans: new Map(), size: texts.length + 1, trailer, text })
}

test('the PDF editor changes a catalog entry where the entry is stored: in the catalog or in a separate object', () => {
  const add = (file: EditedFile) =>
    changeCatalog(file, 'Names', ({ entries }) => {
      entries.set('New', '1')
      return true
    })
  const inside = fileOf('<</Type/Catalog/Names<</Old 0>>>>')
  add(inside)
  assert.equal(nodeAt(inside, '1 0 R')?.entries.get('Names'), '<</Old 0/New 1>>')
  const apart = fileOf('<</Type/Catalog/Names 2 0 R>>', '<</Old 0>>')
  add(apart)
  assert.equal(apart.text(2), '<</Old 0/New 1>>')
  assert.equal(nodeAt(apart, '1 0 R')?.entries.get('Names'), '2 0 R')
})

test('the PDF editor removes a catalog entry that a change has emptied, and ignores an entry that the catalog does not have', () => {
  const file = fileOf('<</Type/Catalog/Names 2 0 R>>', '<</Old 0>>')
  changeCatalog(file, 'Names', () => false)
  assert.equal(file.text(1), '<</Type/Catalog>>')
  changeCatalog(file, 'Outlines', () => assert.fail('there is no such entry'))
  assert.equal(file.text(1), '<</Type/Catalog>>')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EditedFile } from './edited-file.ts'
import { readSourceFile } from './source-file.ts'
import { readWholeFile } from './whole-file.ts'
import { writeFile } from './write-file.ts'

const STREAM = '4 0 obj\n<</Length 5>>\nstream\n0 0 m\nendstream\nendobj\n'

function saved(version = '1.7'): Buffer {
  const objects = [
    '1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n',
    '2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n',
    '3 0 obj\n<</Type/Page/Parent 2 0 R/Contents 4 0 R>>\nendobj\n',
    STREAM,
  ]
  let text = `%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`
  let table = 'xref\n0 5\n0000000000 65535 f \n'
  for (const object of objects) {
    table += `${String(text.length).padStart(10, '0')} 00000 n \n`
    text += object
  }
  return Buffer.from(`${text}${table}trailer\n<</Size 5/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`, 'latin1')
}

type Options = Parameters<typeof writeFile>[1]

function written(change: (file: EditedFile) => void = () => {}, options: Options = { packed: false }) {
  const file = new EditedFile(readWholeFile(saved()))
  change(file)
  const bytes = Buffer.concat(writeFile(file, options))
  const read = readSourceFile(bytes)
  assert.ok(read)
  return { bytes, read }
}

test('the PDF writer writes unchanged objects byte by byte', () => {
  const { bytes, read } = written()
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => read.text(number)),
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/Contents 4 0 R>>',
      '<</Length 5>>',
    ],
  )
  assert.equal(read.trailer.get('Root'), '1 0 R')
  assert.ok(bytes.includes(STREAM, 0, 'latin1'))
})

test('the PDF writer raises a PDF version below 1.4 to 1.4 in the result, and does not change the bytes of the source', () => {
  for (const [version, raised] of [
    ['1.3', '1.4'],
    ['1.4', '1.4'],
    ['1.7', '1.7'],
  ] as const) {
    const source = saved(version)
    const before = Buffer.from(source)
    const result = Buffer.concat(writeFile(new EditedFile(readWholeFile(source)), { packed: false }))
    assert.equal(result.toString('latin1', 0, 9), `%PDF-${raised}\n`)
    assert.deepEqual(source, before, `the source of version ${version}`)
    assert.match(readSourceFile(result)?.text(1) ?? '', /Catalog/)
  }
})

test('the PDF writer writes changed and added objects, and omits dropped objects', () => {
  let added = 0
  const { read } = written((file) => {
    file.replace(3, '<</Type/Page/Parent 2 0 R/Rotate 90>>')
    added = file.addStream({ entries: [['Type', '/XObject']], data: Buffer.from('1 0 0 rg') })
    file.drop(4)
  })
  assert.equal(added, 5)
  assert.equal(read.text(3), '<</Type/Page/Parent 2 0 R/Rotate 90>>')
  assert.equal(read.text(5), '<</Type/XObject/Length 8>>')
  assert.equal(read.text(4), undefined)
})

test('the PDF writer writes only the objects that are marked as kept', () => {
  const { bytes, read } = written(undefined, { keep: new Set([1, 2, 3]), packed: false })
  assert.equal(read.text(4), undefined)
  assert.equal(bytes.includes('0 0 m', 0, 'latin1'), false)
})

test('the size in the trailer is one more than the highest number of an object, and the trailer has no reference to a missing object', () => {
  const { bytes } = written((file) => {
    file.drop(file.add('null'))
    file.trailer.set('Info', '9 0 R')
  })
  assert.match(bytes.toString('latin1'), /trailer\n<<\/Size 5\/Root 1 0 R>>/)
})

test('the PDF writer packs objects into an object stream, and writes streams separately', () => {
  const { bytes, read } = written((file) => file.replace(2, '<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 90>>'), {
    packed: true,
  })
  assert.ok(bytes.includes('/ObjStm', 0, 'latin1'))
  assert.equal(bytes.includes('/Catalog', 0, 'latin1'), false)
  assert.ok(bytes.includes(STREAM, 0, 'latin1'))
  assert.deepEqual(
    [1, 2, 3, 4].map((number) => read.text(number)),
    [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1/Rotate 90>>',
      '<</Type/Page/Parent 2 0 R/Contents 4 0 R>>',
      '<</Length 5>>',
    ],
  )
})

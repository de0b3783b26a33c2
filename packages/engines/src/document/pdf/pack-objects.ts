import { deflateSync } from 'node:zlib'
import type { FileOutput } from './file-output.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { writeDictionary } from './syntax.ts'

// As in qpdf: enough objects to compress well, but few enough to read one page quickly.
const OBJECTS_PER_STREAM = 100

/**
 * The bytes of a row in the cross-reference stream: 1 for the kind, 4 for the offset or stream (up to 4 GB), 2 for the
 * index in the stream.
 */
const COLUMNS = 7

/** Writes compressed object streams and a compressed cross-reference stream (ISO 32000-1, 7.5.7 and 7.5.8). */
export function packObjects(
  output: FileOutput,
  objects: readonly (readonly [number, PdfText])[],
  { size, trailer }: { size: number; trailer: PdfDictionary },
): void {
  let next = size
  for (let first = 0; first < objects.length; first += OBJECTS_PER_STREAM) {
    const group = objects.slice(first, first + OBJECTS_PER_STREAM)
    let heads = ''
    let values = ''
    group.forEach(([number, text], index) => {
      output.locations.set(number, { container: next, index })
      heads += `${number} ${values.length} `
      values += `${text}\n`
    })
    const data = deflateSync(Buffer.from(heads + values, 'latin1'))
    const entries = [
      ['Type', '/ObjStm'],
      ['N', String(group.length)],
      ['First', String(heads.length)],
      ['Filter', '/FlateDecode'],
      ['Length', String(data.length)],
    ] as const
    output.startObject(next).object(next, writeDictionary(entries), data)
    next += 1
  }
  const start = output.length
  output.locations.set(next, { offset: start })
  const { rows, index } = tableRows(output)
  const data = deflateSync(rows, { level: 9 })
  const entries = new Map(trailer)
    .set('Type', '/XRef')
    .set('Size', String(next + 1))
    .set('W', '[1 4 2]')
    .set('Index', `[${index.join(' ')}]`)
    .set('Filter', '/FlateDecode')
    .set('DecodeParms', `<</Predictor 12/Columns ${COLUMNS}>>`)
    .set('Length', String(data.length))
  output.object(next, writeDictionary(entries), data)
  output.write(`startxref\n${start}\n%%EOF\n`)
}

function tableRows(output: FileOutput): { rows: Buffer; index: number[] } {
  const numbers = [...output.locations.keys()].sort((a, b) => a - b)
  const index: number[] = [0, 1]
  const rows = Buffer.alloc((numbers.length + 1) * (COLUMNS + 1))
  const row = Buffer.alloc(COLUMNS)
  const above = Buffer.alloc(COLUMNS)
  // Object 0 is always free: a row of zeros after the number of the filter "up".
  rows[0] = 2
  numbers.forEach((number, position) => {
    const [start = 0, count = 0] = index.slice(-2)
    if (start + count === number) index[index.length - 1] = count + 1
    else index.push(number, 1)
    const location = output.locations.get(number) ?? { offset: 0 }
    const isPacked = 'container' in location
    row.writeUInt8(isPacked ? 2 : 1, 0)
    row.writeUInt32BE(isPacked ? location.container : location.offset, 1)
    row.writeUInt16BE(isPacked ? location.index : 0, 5)
    const at = (position + 1) * (COLUMNS + 1)
    rows[at] = 2
    for (let byte = 0; byte < COLUMNS; byte += 1) rows[at + 1 + byte] = ((row[byte] ?? 0) - (above[byte] ?? 0)) & 0xff
    row.copy(above)
  })
  return { rows, index }
}

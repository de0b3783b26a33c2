import type { EditedFile } from './edited-file.ts'
import { FileOutput } from './file-output.ts'
import { packObjects } from './pack-objects.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { readReference, writeDictionary } from './syntax.ts'

/** The first PDF version with transparency, which watermarks need (ISO 32000-1, annex I). */
const TRANSPARENCY = '1.4'

const SIGNATURE_BYTES = '%PDF-'.length
const HEADER_BYTES = SIGNATURE_BYTES + TRANSPARENCY.length

/** Writes all objects, or only the objects in `keep`. `packed` compresses objects, which requires PDF 1.5. */
export function writeFile(file: EditedFile, options: { keep?: ReadonlySet<number>; packed: boolean }): Buffer[] {
  const output = new FileOutput()
  const { bytes, spans } = file.file
  const isKept = (number: number) => !file.dropped.has(number) && options.keep?.has(number) !== false
  const packed: [number, PdfText][] = []

  writeHead(output, file)
  for (const [number, { start, end }] of spans) {
    if (!isKept(number) || file.changed.has(number)) continue
    const text = options.packed ? loneValue(file, number) : undefined
    if (text !== undefined) packed.push([number, text])
    else output.startObject(number).copy(bytes, start, end)
  }
  for (const [number, { text, data }] of file.changed) {
    if (!isKept(number)) continue
    if (data === undefined && options.packed) packed.push([number, text])
    else output.startObject(number).object(number, text, data)
  }
  const trailer = new Map([...file.trailer].filter(([, value]) => !isMissing(file, value)))
  if (options.packed) packObjects(output, packed, { size: file.size, trailer })
  else writeTable(output, trailer)
  return output.finish()
}

/** Returns whether a value refers to a missing object, for which poppler reports an error. */
function isMissing(file: EditedFile, value: PdfText): boolean {
  const number = readReference(value)
  return number !== undefined && file.text(number) === undefined
}

function writeHead(output: FileOutput, { file: { bytes, spans } }: EditedFile): void {
  const [first] = spans.values()
  const end = first?.start ?? bytes.length
  if (bytes.toString('latin1', SIGNATURE_BYTES, HEADER_BYTES) >= TRANSPARENCY) return output.copy(bytes, 0, end)
  output.copy(bytes, 0, SIGNATURE_BYTES)
  output.write(TRANSPARENCY)
  output.copy(bytes, HEADER_BYTES, end)
}

function loneValue(file: EditedFile, number: number): PdfText | undefined {
  const { bytes, spans } = file.file
  const span = spans.get(number)
  if (span === undefined) return undefined
  const isStream = bytes.toString('latin1', Math.max(span.start, span.end - 24), span.end).includes('endstream')
  return isStream ? undefined : file.text(number)
}

function writeTable(output: FileOutput, trailer: PdfDictionary): void {
  const start = output.length
  const numbers = [...output.locations.keys()].sort((a, b) => a - b)
  let table = 'xref\n0 1\n0000000000 65535 f \n'
  for (let first = 0; first < numbers.length; ) {
    let end = first + 1
    while (numbers[end] === (numbers[end - 1] ?? 0) + 1) end += 1
    table += `${numbers[first]} ${end - first}\n`
    for (const number of numbers.slice(first, end)) {
      const location = output.locations.get(number)
      const offset = location !== undefined && 'offset' in location ? location.offset : 0
      table += `${String(offset).padStart(10, '0')} 00000 n \n`
    }
    first = end
  }
  const sized = new Map(trailer).set('Size', String((numbers.at(-1) ?? 0) + 1))
  output.write(`${table}trailer\n${writeDictionary(sized)}\nstartxref\n${start}\n%%EOF\n`)
}

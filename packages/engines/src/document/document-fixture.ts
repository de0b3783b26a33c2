import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { PDFDocument, PDFRawStream } from '@cantoo/pdf-lib'
import type { SourceFormat } from '@mediamill/contract/domain/media'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import type { JobWithoutWork } from '../image/process-fixture.ts'
import { png, runOn } from '../image/process-fixture.ts'
import type { EngineDone, EngineJob } from '../protocol/messages.ts'
import { openDocument } from './pdfium/pdf-document.ts'
import { PdfiumPool } from './pdfium/pdfium-pool.ts'
import { processDocument } from './process.ts'
import { readDocument } from './read.ts'
import { snapshotDocument } from './snapshot.ts'

export const pool = await PdfiumPool.start()

type TestOptions = {
  marks?: Record<string, { bytes: Buffer; format: SourceFormat }>
  limits?: Partial<EngineJob['limits']>
}

async function done(
  work: (job: JobWithoutWork) => Promise<EngineDone>,
  bytes: Buffer,
  options: TestOptions = {},
): Promise<EngineDone & { bytes: Buffer }> {
  const { done, files } = await runOn({ bytes, format: 'PDF' }, options, work)
  return { ...done, bytes: files[0] ?? Buffer.alloc(0) }
}

const RED_BLUE = await png(40, 30, (x) => (x < 20 ? [255, 0, 0] : [0, 0, 255]))

export function processed(
  bytes: Buffer,
  operations: object[],
  options: TestOptions & {
    maxPages?: number
    activeContent?: 'remove' | 'keep'
    ask?: Parameters<typeof processDocument>[2]
  } = {},
) {
  const parameters = {
    operations: operationsSchema('document').parse(operations),
    output: {
      format: 'pdf' as const,
      ...(options.activeContent !== undefined && { active_content: options.activeContent }),
    },
    ...(options.maxPages !== undefined && { max_pages: options.maxPages }),
  }
  const process = (job: JobWithoutWork) =>
    processDocument(pool, { ...job, task: 'documents/process', parameters }, options.ask ?? (async () => {}))
  return done(process, bytes, { ...options, marks: { mark: RED_BLUE, ...options.marks } })
}

export const metadataOf = async (bytes: Buffer) =>
  (await done((job) => readDocument(pool, { ...job, task: 'documents/read', parameters: {} }), bytes)).data

export const snapshot = (bytes: Buffer, page = 1, format: 'jpg' | 'png' = 'png', limits: TestOptions['limits'] = {}) =>
  done(
    (job) => snapshotDocument(pool, { ...job, task: 'documents/snapshot', parameters: { page, output: { format } } }),
    bytes,
    { limits },
  )

export function textsOf(bytes: Buffer): Promise<string[]> {
  return pool.run((pdfium) => {
    using document = openDocument(pdfium, bytes)
    const { api } = pdfium
    return Array.from({ length: document.claimedPages }, (_, index) => {
      const page = api.FPDF_LoadPage(document.handle, index)
      const text = api.FPDFText_LoadPage(page)
      const count = api.FPDFText_CountChars(text)
      const pointer = pdfium.allocate(count * 2 + 2)
      api.FPDFText_GetText(text, 0, count, pointer)
      const read = pdfium
        .heap()
        .subarray(pointer, pointer + count * 2)
        .toString('utf16le')
      pdfium.free(pointer)
      api.FPDFText_ClosePage(text)
      api.FPDF_ClosePage(page)
      return read
    })
  })
}

/** Returns the file as text, and after it each object with its unpacked stream. */
export async function readable(bytes: Buffer): Promise<string> {
  const { context } = await PDFDocument.load(bytes, { updateMetadata: false })
  const objects = context.enumerateIndirectObjects().map(([, object]) => {
    if (!(object instanceof PDFRawStream)) return object.toString()
    const dictionary = object.dict.toString()
    return dictionary + (dictionary.includes('FlateDecode') ? inflateSync(object.getContents()).toString('latin1') : '')
  })
  return [bytes.toString('latin1'), ...objects].join('\n')
}

/** Writes a PDF with these objects, numbered from 1. The first object is the catalog. */
export function pdfOf(objects: readonly string[], { version = '1.4', trailer = '' } = {}): Buffer {
  let file = `%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  const end = `trailer\n<</Root 1 0 R/Size ${objects.length + 1}${trailer}>>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file + table + end, 'latin1')
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')

/** Writes a PDF like `pdfOf`, encrypted with an owner password and no user password (ISO 32000-1, 7.6, revision 2). */
export function lockedPdfOf(objects: readonly string[], ownerPassword: string): Buffer {
  const id = md5('id')
  const permissions = Buffer.from([0xc0, 0xff, 0xff, 0xff])
  const padded = Buffer.concat([Buffer.from(ownerPassword), PADDING]).subarray(0, PADDING.length)
  const owner = rc4(md5(padded).subarray(0, 5), PADDING)
  const key = md5(PADDING, owner, permissions, id).subarray(0, 5)
  const locked = objects.map((object, index) => {
    const objectKey = md5(key, Buffer.from([index + 1, 0, 0, 0, 0])).subarray(0, 10)
    const hidden = (text: string, encoding: BufferEncoding = 'latin1') => rc4(objectKey, Buffer.from(text, encoding))
    const [value = '', data] = object.split('\nstream\n')
    const strings = value.replace(/\(([^()]*)\)|(?<!<)<([0-9a-f]+)>/g, (_, text?: string, hex = '') =>
      text === undefined ? `<${hidden(hex, 'hex').toString('hex')}>` : `<${hidden(text).toString('hex')}>`,
    )
    if (data === undefined) return strings
    return `${strings}\nstream\n${hidden(data.slice(0, -'\nendstream'.length)).toString('latin1')}\nendstream`
  })
  const encryption = `<</Filter/Standard/V 1/R 2/P -64/O<${owner.toString('hex')}>/U<${rc4(key, PADDING).toString('hex')}>>>`
  const trailer = `/Encrypt ${objects.length + 1} 0 R/ID[<${id.toString('hex')}><${id.toString('hex')}>]`
  return pdfOf([...locked, encryption], { trailer })
}

const md5 = (...parts: (string | Buffer)[]) => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index)
  const swap = (a: number, b: number) => {
    const kept = state[a] ?? 0
    state[a] = state[b] ?? 0
    state[b] = kept
  }
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + (state[i] ?? 0) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  let j = 0
  return data.map((byte, index) => {
    const i = (index + 1) & 255
    j = (j + (state[i] ?? 0)) & 255
    swap(i, j)
    return byte ^ (state[((state[i] ?? 0) + (state[j] ?? 0)) & 255] ?? 0)
  }) as Buffer
}

export const stream = (content: string, entries = '') =>
  `<<${entries}/Length ${content.length}>>\nstream\n${content}\nendstream`

/** Writes a PDF with one page. The first of `objects` is object 5. */
export const onePage = (entries: string, content = '', objects = ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>']) =>
  pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R${entries}>>`,
    stream(content),
    ...objects,
  ])

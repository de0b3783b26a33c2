import { createHash } from 'node:crypto'

/** The bytes that extend a PDF password to 32 bytes (PDF 1.7, section 7.6.3.3). */
const PAD = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
const ID = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
const md5 = (...parts: Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest()

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index)
  const swap = (one: number, other: number) => {
    ;[state[one], state[other]] = [state[other] ?? 0, state[one] ?? 0]
  }
  for (let at = 0, j = 0; at < 256; at += 1) {
    j = (j + (state[at] ?? 0) + (key[at % key.length] ?? 0)) & 255
    swap(at, j)
  }
  let j = 0
  return data.map((byte, index) => {
    const at = (index + 1) & 255
    j = (j + (state[at] ?? 0)) & 255
    swap(at, j)
    return byte ^ (state[((state[at] ?? 0) + (state[j] ?? 0)) & 255] ?? 0)
  }) as Buffer
}

/** Returns the encryption dictionary of a PDF that opens without a password, but that only its owner may change. */
function owned(): string {
  const owner = rc4(md5(Buffer.from('owner'), PAD.subarray(0, 27)).subarray(0, 5), PAD)
  const key = md5(PAD, owner, Buffer.from([0xfc, 0xff, 0xff, 0xff]), ID).subarray(0, 5)
  const user = rc4(key, PAD)
  return `<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> >>`
}

/** The encryption dictionary of a PDF with an unknown password. */
const LOCKED = '<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <@> /U <@> >>'.replaceAll('@', '5a'.repeat(32))

type Page = readonly [width: number, height: number]

export type PdfOptions = {
  lock?: 'user' | 'owner'
  text?: string
  /** More entries of the catalog. Here and in `page`, `@0` becomes the object number of the first of `objects`. */
  catalog?: string
  page?: string
  objects?: readonly string[]
  hasHeader?: boolean
}

/** Writes a PDF. Page sizes are in points. Each page has text in a font that is not embedded. */
export function writePdf(
  pages: readonly Page[],
  { lock, text = '', catalog = '', page = '', objects: further = [], hasHeader = true }: PdfOptions = {},
): Buffer {
  const numbered = (entries: string) =>
    entries.replace(/@(\d+)/g, (_, n: string) => String(5 + pages.length + Number(n)))
  const kids = pages.map((_, index) => `${index + 5} 0 R`).join(' ')
  const drawn = text === '' ? '' : `BT /F1 40 Tf 20 40 Td (${text}) Tj ET`
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${numbered(catalog)} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    ...pages.map(
      ([width, height]) =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /Font << /F1 3 0 R >> >>${text === '' ? '' : ' /Contents 4 0 R'} ${numbered(page)} >>`,
    ),
    ...further.map(numbered),
    ...(lock === undefined ? [] : [lock === 'user' ? LOCKED : owned()]),
  ]
  const header = hasHeader ? '%PDF-1.4\n' : ''
  const parts = [header]
  let { length } = header
  const offsets = objects.map((object, index) => {
    const at = length
    const part = `${index + 1} 0 obj\n${object}\nendobj\n`
    parts.push(part)
    length += part.length
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const id = ID.toString('hex')
  const encrypt = lock === undefined ? '' : ` /Encrypt ${objects.length} 0 R /ID [<${id}> <${id}>]`
  const size = objects.length + 1
  const end = `trailer\n<< /Size ${size} /Root 1 0 R${encrypt} >>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.from(`${parts.join('')}xref\n0 ${size}\n0000000000 65535 f \n${table}${end}`, 'latin1')
}

import { deflateSync } from 'node:zlib'
import type { HostileFile } from './hostile-file.ts'
import { both } from './hostile-file.ts'

/** Makes a PDF from objects, which get the numbers 1, 2, and so on. The first object is the catalog. */
export function pdf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  let at = 9
  const offsets = objects.map((object, index) => {
    const bytes = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    parts.push(bytes)
    at += bytes.length
    return at - bytes.length
  })
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const size = objects.length + 1
  return Buffer.concat([
    ...parts,
    Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${lines.join('')}`),
    Buffer.from(`trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF\n`),
  ])
}

export function stream(dictionary: string, data: string | Buffer): Buffer {
  const body = Buffer.from(data)
  return Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${body.length}>>\nstream\n`),
    body,
    Buffer.from('\nendstream'),
  ])
}

export const CATALOG = '<</Type/Catalog/Pages 2 0 R>>'
export const pages = (kids: string, count: number | string) => `<</Type/Pages/Kids[${kids}]/Count ${count}>>`
export const page = (box: string, more = '') => `<</Type/Page/Parent 2 0 R/MediaBox[${box}]${more}>>`
export const LETTER = '0 0 612 792'

/** Makes ten nested forms, each of which draws the next form ten times. A viewer draws the last form 10^10 times. */
function nestedForms(): Buffer {
  const depth = 10
  const forms = Array.from({ length: depth }, (_, level) => {
    const isLast = level === depth - 1
    const content = isLast ? '0 0 1 1 re f' : '/F Do '.repeat(10)
    const resources = isLast ? '' : `/Resources<</XObject<</F ${5 + level} 0 R>>>>`
    return stream(`/Type/XObject/Subtype/Form/BBox[0 0 612 792]${resources}`, content)
  })
  const first = page(LETTER, '/Contents 14 0 R/Resources<</XObject<</F 4 0 R>>>>')
  return pdf([CATALOG, pages('3 0 R', 1), first, ...forms, stream('', '/F Do '.repeat(10))])
}

export function pdfTraps(): HostileFile[] {
  const plain = page(LETTER)
  const blown = deflateSync(Buffer.alloc(200 * 1024 ** 2, ' '), { level: 9 })
  const files: Omit<HostileFile, 'media'>[] = [
    {
      name: 'count-of-two-billion.pdf',
      bytes: pdf([CATALOG, pages('3 0 R', 2_000_000_000), plain]),
      metadata: { page_count: 1 },
      ...both('succeeded'),
    },
    {
      name: 'count-below-zero.pdf',
      bytes: pdf([CATALOG, pages('3 0 R', -1), plain]),
      metadata: { page_count: 1 },
      ...both('succeeded'),
    },
    { name: 'page-tree-in-a-circle.pdf', bytes: pdf([CATALOG, pages('2 0 R', 1)]), ...both('processing_failed') },
    {
      name: 'page-tree-in-a-wide-circle.pdf',
      bytes: pdf([CATALOG, pages('3 0 R 3 0 R', 4), pages('2 0 R 2 0 R', 4)]),
      ...both('processing_failed'),
    },
    { name: 'no-pages.pdf', bytes: pdf([CATALOG, pages('', 0)]), ...both('processing_failed') },
    { name: 'forms-10-wide-10-deep.pdf', bytes: nestedForms(), read: 'succeeded', process: 'processing_failed' },
    // The service renders a page smaller if it is larger than the maximum frame.
    {
      name: 'box-of-200000.pdf',
      bytes: pdf([CATALOG, pages('3 0 R', 1), page('0 0 200000 200000')]),
      ...both('succeeded'),
    },
    {
      name: 'box-of-2-31.pdf',
      bytes: pdf([CATALOG, pages('3 0 R', 1), page('0 0 2147483647 2147483647')]),
      ...both('succeeded'),
    },
    {
      name: 'content-of-200-megabytes.pdf',
      bytes: pdf([CATALOG, pages('3 0 R', 1), page(LETTER, '/Contents 4 0 R'), stream('/Filter/FlateDecode', blown)]),
      read: 'succeeded',
      process: 'processing_failed',
    },
    {
      name: 'previous-table-is-itself.pdf',
      bytes: pdf([CATALOG, pages('3 0 R', 1), plain], '/Prev 9'),
      ...both('succeeded'),
    },
    { name: 'mark-alone.pdf', bytes: Buffer.from('%PDF-1.7\n'), ...both('processing_failed') },
    {
      name: 'cut-off.pdf',
      bytes: pdf([CATALOG, pages('3 0 R', 1), plain]).subarray(0, 40),
      ...both('processing_failed'),
    },
  ]
  return files.map((file) => ({ ...file, media: 'document' }))
}

/** The version to assume if the file contains none (ISO 32000-1). */
export const ASSUMED_VERSION = '1.7'

const HEADER = Buffer.from(`%PDF-${ASSUMED_VERSION}\n`, 'latin1')
// PDFium searches this many bytes for the header.
const HEADER_WITHIN = 1024

const CATALOG = /\/Type\s*\/Catalog\b/g
// A larger file is not repaired, because JavaScript strings have a maximum length.
const MAX_BYTES = 256 * 1024 * 1024
const OBJECT = /(\d{1,10})\s+(\d{1,5})\s+obj\b/g

export function withHeader(bytes: Buffer): Buffer | undefined {
  const head = bytes.toString('latin1', 0, HEADER_WITHIN)
  if (head.includes('%PDF')) return undefined
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - 1024))
  const stated = Number(/startxref\s+(\d{1,10})/.exec(tail.slice(tail.lastIndexOf('startxref')))?.[1] ?? bytes.length)
  const isTable = /^\s*(?:xref|\d+\s+\d+\s+obj)/.test(bytes.toString('latin1', stated, stated + 64))
  if (!isTable || head.search(OBJECT) < HEADER.length) return Buffer.concat([HEADER, bytes])
  const marked = Buffer.from(bytes)
  HEADER.copy(marked)
  return marked
}

/**
 * Appends a trailer that refers to the catalog, from which PDFium finds the other objects. Returns `undefined` if the
 * file has no catalog or is too large.
 */
export function withTrailer(bytes: Buffer): Buffer | undefined {
  if (bytes.length > MAX_BYTES) return undefined
  const text = bytes.toString('latin1')
  // The last catalog in the file is the newest.
  const catalog = [...text.matchAll(CATALOG)].at(-1)
  if (catalog === undefined) return undefined
  const object = [...text.slice(Math.max(0, catalog.index - 4096), catalog.index).matchAll(OBJECT)].at(-1)
  if (object === undefined) return undefined
  const trailer = `\ntrailer\n<</Root ${object[1]} ${object[2]} R>>\nstartxref\n0\n%%EOF\n`
  return Buffer.concat([bytes, Buffer.from(trailer, 'latin1')])
}

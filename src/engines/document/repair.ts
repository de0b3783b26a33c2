const CATALOG = /\/Type\s*\/Catalog\b/g
// What a text of JavaScript can hold.
const MAX_BYTES = 256 * 1024 * 1024
const OBJECT = /(\d{1,10})\s+(\d{1,5})\s+obj\b/g

/**
 * A document that lost its end, with one that says where its catalog is: PDFium finds all other objects itself, but not
 * this. `undefined` when no catalog is to be seen either.
 */
export function withTrailer(bytes: Buffer): Buffer | undefined {
  if (bytes.length > MAX_BYTES) return undefined
  const text = bytes.toString('latin1')
  // The last one is the latest.
  const catalog = [...text.matchAll(CATALOG)].at(-1)
  if (catalog === undefined) return undefined
  const object = [...text.slice(Math.max(0, catalog.index - 4096), catalog.index).matchAll(OBJECT)].at(-1)
  if (object === undefined) return undefined
  const trailer = `\ntrailer\n<</Root ${object[1]} ${object[2]} R>>\nstartxref\n0\n%%EOF\n`
  return Buffer.concat([bytes, Buffer.from(trailer, 'latin1')])
}

import { changeCatalog, MAX_DEPTH, nodeAt, saveNode } from '../pdf/catalog.ts'
import type { EditedFile } from '../pdf/edited-file.ts'
import { resolve } from '../pdf/objects.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { readArray, readReference, writeArray } from '../pdf/syntax.ts'
import type { Gone } from './gone.ts'

/** Removes what a tagged document says about removed pages. Those are their elements, with their texts. */
export function dropStructure(file: EditedFile, gone: Gone): void {
  const taken = new Set<number>()
  changeCatalog(file, 'StructTreeRoot', ({ entries }) => {
    const kids = entries.get('K')
    if (kids === undefined) return true
    const left = pruneKids(file, kids, { gone, taken, seen: new Set() }, { page: undefined, depth: 0 })
    if (left === undefined) return false
    entries.set('K', left)
    return true
  })
  // The tree from content to elements still names them: to it they are nothing now.
  for (const number of taken) file.drop(number)
}

type Context = { gone: Gone; taken: Set<number>; seen: Set<number> }
type Above = { page: number | undefined; depth: number }

/** What is left of `/K`, one kid or an array of them; `undefined` when nothing is. */
function pruneKids(file: EditedFile, value: PdfText, context: Context, above: Above): PdfText | undefined {
  const kids = readArray(resolve(file, value))
  if (kids === undefined) return pruneKid(file, value, context, above)
  const left = kids.flatMap((kid) => pruneKid(file, kid, context, above) ?? [])
  return left.length === 0 ? undefined : writeArray(left)
}

/** An element, or content of the page that the elements above it name (ISO 32000-1, 14.7.4). */
function pruneKid(file: EditedFile, value: PdfText, context: Context, above: Above): PdfText | undefined {
  const node = nodeAt(file, value)
  const page = readReference(node?.entries.get('Pg')) ?? above.page
  const isGone = page !== undefined && context.gone.pages.has(page)
  if (node === undefined || !node.entries.has('S')) return isGone ? undefined : value
  if (above.depth > MAX_DEPTH || (node.number !== undefined && context.seen.has(node.number))) return value
  if (node.number !== undefined) context.seen.add(node.number)
  const kids = node.entries.get('K')
  const left = kids === undefined ? undefined : pruneKids(file, kids, context, { page, depth: above.depth + 1 })
  if (left === undefined && (isGone || kids !== undefined)) {
    if (node.number !== undefined) context.taken.add(node.number)
    return undefined
  }
  if (left === undefined) return value
  node.entries.set('K', left)
  // What stays below names its own page.
  if (isGone) node.entries.delete('Pg')
  return saveNode(file, node, value)
}

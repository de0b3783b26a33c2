import { changeCatalog, MAX_DEPTH, nodeAt, saveNode } from '../pdf/catalog.ts'
import type { EditedFile } from '../pdf/edited-file.ts'
import { resolve } from '../pdf/objects.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { readArray, readReference, writeArray } from '../pdf/syntax.ts'
import type { RemovedObjects } from './prune-destinations.ts'

export function dropStructure(file: EditedFile, removed: RemovedObjects): void {
  const taken = new Set<number>()
  changeCatalog(file, 'StructTreeRoot', ({ entries }) => {
    const kids = entries.get('K')
    if (kids === undefined) return true
    const left = pruneKids(file, kids, { removed, taken, seen: new Set() }, { page: undefined, depth: 0 })
    if (left === undefined) return false
    entries.set('K', left)
    return true
  })
  // The parent tree still refers to these objects. After the drop, the references are null.
  for (const number of taken) file.drop(number)
}

type Context = { removed: RemovedObjects; taken: Set<number>; seen: Set<number> }
type Above = { page: number | undefined; depth: number }

function pruneKids(file: EditedFile, value: PdfText, context: Context, above: Above): PdfText | undefined {
  const kids = readArray(resolve(file, value))
  if (kids === undefined) return pruneKid(file, value, context, above)
  const left = kids.flatMap((kid) => pruneKid(file, kid, context, above) ?? [])
  return left.length === 0 ? undefined : writeArray(left)
}

/** Prunes a structure element or marked content (ISO 32000-1, 14.7.4). Returns `undefined` if nothing remains. */
function pruneKid(file: EditedFile, value: PdfText, context: Context, above: Above): PdfText | undefined {
  const node = nodeAt(file, value)
  const page = readReference(node?.entries.get('Pg')) ?? above.page
  const isRemoved = page !== undefined && context.removed.pages.has(page)
  if (node === undefined || !node.entries.has('S')) return isRemoved ? undefined : value
  if (above.depth > MAX_DEPTH || (node.number !== undefined && context.seen.has(node.number))) return value
  if (node.number !== undefined) context.seen.add(node.number)
  const kids = node.entries.get('K')
  const left = kids === undefined ? undefined : pruneKids(file, kids, context, { page, depth: above.depth + 1 })
  if (left === undefined && (isRemoved || kids !== undefined)) {
    if (node.number !== undefined) context.taken.add(node.number)
    return undefined
  }
  if (left === undefined) return value
  node.entries.set('K', left)
  // `Pg` is the default page of the children. Each remaining child names its own page.
  if (isRemoved) node.entries.delete('Pg')
  return saveNode(file, node, value)
}

import { changeCatalog, MAX_DEPTH, nodeAt, saveNode } from '../pdf/catalog.ts'
import type { EditedFile } from '../pdf/edited-file.ts'
import { resolve } from '../pdf/objects.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { readArray, readReference, writeArray } from '../pdf/syntax.ts'
import type { RemovedObjects } from './prune-destinations.ts'

/** Removes the form fields of removed pages, and the form if no field remains. */
export function dropFields(file: EditedFile, removed: RemovedObjects): void {
  const taken = new Set<number>()
  changeCatalog(file, 'AcroForm', ({ entries }) => {
    const fields = readArray(resolve(file, entries.get('Fields'))) ?? []
    const left = fields.flatMap((field) => pruneField(file, field, { removed, taken }, 0) ?? [])
    if (left.length === 0 && fields.length > 0) return false
    entries.set('Fields', writeArray(left))
    const order = readArray(resolve(file, entries.get('CO')))
    if (order !== undefined)
      entries.set('CO', writeArray(order.filter((field) => !taken.has(readReference(field) ?? -1))))
    return true
  })
  for (const number of taken) file.drop(number)
}

type Context = { removed: RemovedObjects; taken: Set<number> }

function pruneField(file: EditedFile, value: PdfText, context: Context, depth: number): PdfText | undefined {
  const number = readReference(value)
  if (number !== undefined && context.removed.annotations.has(number)) return undefined
  const node = nodeAt(file, value)
  if (node === undefined || depth > MAX_DEPTH) return undefined
  const kids = readArray(resolve(file, node.entries.get('Kids')))
  if (kids === undefined) {
    const page = readReference(node.entries.get('P'))
    return page !== undefined && context.removed.pages.has(page) ? take(context, number) : value
  }
  const left = kids.flatMap((kid) => pruneField(file, kid, context, depth + 1) ?? [])
  if (left.length === 0 && kids.length > 0) return take(context, number)
  if (left.length === kids.length && left.every((kid, index) => kid === kids[index])) return value
  node.entries.set('Kids', writeArray(left))
  return saveNode(file, node, value)
}

function take({ taken }: Context, number: number | undefined): undefined {
  if (number !== undefined) taken.add(number)
}

import type { EditedFile } from './edited-file.ts'
import { resolve } from './objects.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { readDictionary, readReference, writeDictionary } from './syntax.ts'

/** The maximum nesting of dictionaries. Only hostile files nest deeper. */
export const MAX_DEPTH = 200

/** A dictionary to change. After a change of `entries`, call `saveNode`. */
export type Node = {
  number: number | undefined
  entries: PdfDictionary
}

export function nodeAt(file: EditedFile, value: PdfText | undefined): Node | undefined {
  const entries = readDictionary(resolve(file, value))
  return entries === undefined ? undefined : { number: readReference(value), entries }
}

/**
 * Saves a changed dictionary. `before` is the value that the parent contains. Returns the value that the parent must
 * contain now.
 */
export function saveNode(file: EditedFile, node: Node, before: PdfText): PdfText {
  const text = writeDictionary(node.entries)
  if (node.number === undefined) return text
  file.replace(node.number, text)
  return before
}

/** Changes the dictionary `name` of the catalog, or removes it if `change` returns `false`. */
export function changeCatalog(file: EditedFile, name: string, change: (node: Node) => boolean): void {
  const catalog = nodeAt(file, file.trailer.get('Root'))
  const value = catalog?.entries.get(name)
  const node = nodeAt(file, value)
  if (catalog === undefined || value === undefined || node === undefined) return
  if (change(node)) catalog.entries.set(name, saveNode(file, node, value))
  else catalog.entries.delete(name)
  saveNode(file, catalog, '')
}

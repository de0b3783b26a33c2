import type { EditedFile } from './edited-file.ts'
import { resolve } from './objects.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { readDictionary, readReference, writeDictionary } from './syntax.ts'

/** Nesting that documents have; a hostile one is not followed deeper. */
export const MAX_DEPTH = 200

/** A dictionary of a file: changed as a map, then saved where it was read. */
export type Node = {
  /** The object's number; `undefined` for one written into another. */
  number: number | undefined
  entries: PdfDictionary
}

/** The dictionary that a value is or refers to. */
export function nodeAt(file: EditedFile, value: PdfText | undefined): Node | undefined {
  const entries = readDictionary(resolve(file, value))
  return entries === undefined ? undefined : { number: readReference(value), entries }
}

/** Saves a changed dictionary. Gives the value that its parent has to hold from now on. */
export function saveNode(file: EditedFile, node: Node, before: PdfText): PdfText {
  const text = writeDictionary(node.entries)
  if (node.number === undefined) return text
  file.replace(node.number, text)
  return before
}

/** Changes an entry of the catalog that is a dictionary. `change` returns whether anything of it is left. */
export function changeCatalog(file: EditedFile, name: string, change: (node: Node) => boolean): void {
  const catalog = nodeAt(file, file.trailer.get('Root'))
  const value = catalog?.entries.get(name)
  const node = nodeAt(file, value)
  if (catalog === undefined || value === undefined || node === undefined) return
  if (change(node)) catalog.entries.set(name, saveNode(file, node, value))
  else catalog.entries.delete(name)
  saveNode(file, catalog, '')
}

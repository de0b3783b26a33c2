import type { EditedFile } from '../pdf/edited-file.ts'
import { resolve } from '../pdf/objects.ts'
import type { Page, PageTree } from '../pdf/page-tree.ts'
import { INHERITED } from '../pdf/page-tree.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { readArray, readDictionary, readReference, writeArray, writeDictionary, writeReference } from '../pdf/syntax.ts'
import type { RemovedObjects } from './prune-destinations.ts'
import { dropDestinations } from './prune-destinations.ts'
import { dropFields } from './prune-fields.ts'
import { dropStructure } from './prune-structure.ts'

/** Removes the pages after `maxPages`, and all references to them. Rebuilds a tree that is not intact. */
export function keepPages(file: EditedFile, tree: PageTree, maxPages = Number.POSITIVE_INFINITY): Page[] {
  const kept = tree.pages.slice(0, maxPages)
  if (tree.isIntact && kept.length === tree.pages.length) return kept
  const pages = rebuildTree(file, kept)
  const removed = findRemoved(file, pages, tree.pages.slice(kept.length))
  if (removed.pages.size > 0) {
    for (const number of [...removed.pages, ...removed.annotations]) file.drop(number)
    dropDestinations(file, removed)
    dropFields(file, removed)
    dropStructure(file, removed)
  }
  return pages
}

function rebuildTree(file: EditedFile, pages: readonly Page[]): Page[] {
  const root = readReference(file.trailer.get('Root'))
  const catalog = readDictionary(resolve(file, file.trailer.get('Root')))
  if (root === undefined || catalog === undefined) return []
  const top = file.add('null')
  const shared = new Map<PdfText, PdfText>()
  const rebuilt = pages.map((page): Page => {
    const dictionary = new Map(page.dictionary)
    for (const name of INHERITED) {
      const value = page.get(name)
      if (value === undefined || dictionary.has(name)) continue
      // Resources that many pages inherit become one shared object.
      if (name === 'Resources' && readReference(value) === undefined && !shared.has(value)) {
        shared.set(value, writeReference(file.add(value)))
      }
      dictionary.set(name, shared.get(value) ?? value)
    }
    dictionary.set('Type', '/Page').set('Parent', writeReference(top))
    const number = page.number ?? file.add('null')
    file.replace(number, writeDictionary(dictionary))
    return { number, dictionary, get: (name) => dictionary.get(name) }
  })
  const kids = writeArray(rebuilt.map(({ number }) => writeReference(number ?? 0)))
  file.replace(top, `<</Type/Pages/Count ${rebuilt.length}/Kids${kids}>>`)
  file.replace(root, writeDictionary(catalog.set('Pages', writeReference(top))))
  return rebuilt
}

function findRemoved(file: EditedFile, kept: readonly Page[], dropped: readonly Page[]): RemovedObjects {
  const keptNumbers = new Set(kept.map((page) => page.number))
  const keptAnnotations = new Set(kept.flatMap((page) => annotationsOf(file, page)))
  const pages = dropped.flatMap(({ number }) => (number === undefined || keptNumbers.has(number) ? [] : [number]))
  const annotations = dropped.flatMap((page) => annotationsOf(file, page))
  return {
    pages: new Set(pages),
    annotations: new Set(annotations.filter((number) => !keptAnnotations.has(number))),
  }
}

const annotationsOf = (file: EditedFile, page: Page): number[] =>
  (readArray(resolve(file, page.dictionary.get('Annots'))) ?? []).flatMap((value) => readReference(value) ?? [])

import type { Node } from '../pdf/catalog.ts'
import { changeCatalog, MAX_DEPTH, nodeAt } from '../pdf/catalog.ts'
import type { EditedFile } from '../pdf/edited-file.ts'
import type { PdfDictionary, PdfText } from '../pdf/syntax.ts'
import { readNumber, writeDictionary, writeReference } from '../pdf/syntax.ts'

export type LeadsAway = (entries: PdfDictionary) => boolean

type Item = Node & { number: number; children: Item[]; isOpen: boolean }

/** Removes the bookmarks of removed pages. If a bookmark has remaining children, it stays as their heading. */
export function dropOutlineItems(file: EditedFile, leadsAway: LeadsAway): void {
  changeCatalog(file, 'Outlines', ({ entries }) => {
    const items = itemsFrom(file, entries.get('First'), { leadsAway, seen: new Set() }, 0)
    const [first, last] = [items[0], items.at(-1)]
    if (first === undefined || last === undefined) return false
    entries.set('First', writeReference(first.number)).set('Last', writeReference(last.number))
    if (entries.has('Count')) entries.set('Count', String(shownIn(items)))
    saveItems(file, items)
    return true
  })
}

type Context = { leadsAway: LeadsAway; seen: Set<number> }

function itemsFrom(file: EditedFile, first: PdfText | undefined, context: Context, depth: number): Item[] {
  const items: Item[] = []
  for (let next = first; next !== undefined && depth < MAX_DEPTH; ) {
    const node = nodeAt(file, next)
    if (node?.number === undefined || context.seen.has(node.number)) break
    context.seen.add(node.number)
    const { number, entries } = node
    next = entries.get('Next')
    const hadChildren = entries.has('First')
    const children = itemsFrom(file, entries.get('First'), context, depth + 1)
    const isAway = context.leadsAway(entries)
    const isHeading = !entries.has('Dest') && !entries.has('A')
    if (children.length === 0 && (isAway || (isHeading && hadChildren))) continue
    if (isAway) for (const name of ['Dest', 'A', 'SE']) entries.delete(name)
    items.push({ number, entries, children, isOpen: (readNumber(entries.get('Count')) ?? 0) > 0 })
  }
  return items
}

function saveItems(file: EditedFile, items: readonly Item[]): void {
  items.forEach(({ number, entries, children, isOpen }, index) => {
    const links = { Prev: items[index - 1], Next: items[index + 1], First: children[0], Last: children.at(-1) }
    for (const [name, item] of Object.entries(links)) {
      if (item === undefined) entries.delete(name)
      else entries.set(name, writeReference(item.number))
    }
    if (children.length === 0) entries.delete('Count')
    else entries.set('Count', String(isOpen ? shownIn(children) : -shownIn(children)))
    file.replace(number, writeDictionary(entries))
    saveItems(file, children)
  })
}

/** Counts the bookmarks that a viewer displays: `items`, and the children of open items (ISO 32000-1, table 153). */
const shownIn = (items: readonly Item[]): number =>
  items.reduce((sum, { children, isOpen }) => sum + 1 + (isOpen ? shownIn(children) : 0), 0)

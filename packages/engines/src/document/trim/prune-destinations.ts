import type { Node } from '../pdf/catalog.ts'
import { changeCatalog, MAX_DEPTH, nodeAt, saveNode } from '../pdf/catalog.ts'
import type { EditedFile } from '../pdf/edited-file.ts'
import { dictionaryAt, resolve } from '../pdf/objects.ts'
import { decodeString } from '../pdf/strings.ts'
import type { PdfDictionary, PdfText } from '../pdf/syntax.ts'
import {
  readArray,
  readDictionary,
  readName,
  readNumber,
  readReference,
  writeArray,
  writeDictionary,
  writeReference,
} from '../pdf/syntax.ts'

/** Removes bookmarks, named destinations, and an opening action if they lead to removed pages. */
export function dropDestinations(file: EditedFile, removed: RemovedObjects): void {
  const isRemoved = (destination: PdfText | undefined) => {
    const target = resolve(file, destination)
    const array = readArray(target) ?? readArray(resolve(file, readDictionary(target)?.get('D')))
    return removed.pages.has(readReference(array?.[0]) ?? -1)
  }
  const named = new Set<string>()
  changeCatalog(file, 'Dests', ({ entries }) => {
    for (const [name, destination] of entries) {
      if (!isRemoved(destination)) continue
      named.add(name)
      entries.delete(name)
    }
    return entries.size > 0
  })
  changeCatalog(file, 'Names', ({ entries }) => {
    const value = entries.get('Dests')
    if (value === undefined) return true
    const left = pruneNames(file, value, { isRemoved, named }, 0)
    if (left === undefined) entries.delete('Dests')
    else entries.set('Dests', left)
    return entries.size > 0
  })
  const leadsTo = (destination: PdfText | undefined): boolean => {
    const value = resolve(file, destination)
    const name = readName(value) ?? decodeString(value)
    return name === undefined ? isRemoved(value) : named.has(name)
  }
  const leadsAway: LeadsAway = (entries) => {
    if (entries.has('Dest')) return leadsTo(entries.get('Dest'))
    const action = dictionaryAt(file, entries.get('A'))
    return readName(action?.get('S')) === 'GoTo' && leadsTo(action?.get('D'))
  }
  dropOpenAction(file, (value) => leadsTo(value) || leadsAway(new Map([['A', value]])))
  dropOutlineItems(file, leadsAway)
}

type Context = { isRemoved: (destination: PdfText) => boolean; named: Set<string> }

function pruneNames(file: EditedFile, value: PdfText, context: Context, depth: number): PdfText | undefined {
  const node = nodeAt(file, value)
  if (node === undefined || depth > MAX_DEPTH) return undefined
  const kids = readArray(resolve(file, node.entries.get('Kids')))
  if (kids !== undefined) {
    const left = kids.flatMap((kid) => pruneNames(file, kid, context, depth + 1) ?? [])
    if (left.length === 0) return undefined
    node.entries.set('Kids', writeArray(left))
    const [first, last] = [left[0], left.at(-1)].map((kid) => readArray(dictionaryAt(file, kid)?.get('Limits')))
    if (depth > 0 && first?.[0] !== undefined && last?.[1] !== undefined) {
      node.entries.set('Limits', writeArray([first[0], last[1]]))
    }
    return saveNode(file, node, value)
  }
  const names = readArray(resolve(file, node.entries.get('Names'))) ?? []
  const left: PdfText[] = []
  for (let index = 0; index + 1 < names.length; index += 2) {
    const [name = '', destination = ''] = names.slice(index, index + 2)
    if (context.isRemoved(destination)) context.named.add(decodeString(resolve(file, name)) ?? '')
    else left.push(name, destination)
  }
  const [first, last] = [left[0], left.at(-2)]
  if (first === undefined || last === undefined) return undefined
  node.entries.set('Names', writeArray(left))
  if (depth > 0) node.entries.set('Limits', writeArray([first, last]))
  return saveNode(file, node, value)
}

function dropOpenAction(file: EditedFile, isAway: (value: PdfText) => boolean): void {
  const catalog = nodeAt(file, file.trailer.get('Root'))
  const value = catalog?.entries.get('OpenAction')
  if (catalog === undefined || value === undefined || !isAway(value)) return
  catalog.entries.delete('OpenAction')
  saveNode(file, catalog, '')
}

type LeadsAway = (entries: PdfDictionary) => boolean

type Item = Node & { number: number; children: Item[]; isOpen: boolean }

/** Removes the bookmarks of removed pages. A bookmark with remaining children stays as their heading. */
function dropOutlineItems(file: EditedFile, leadsAway: LeadsAway): void {
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

type OutlineContext = { leadsAway: LeadsAway; seen: Set<number> }

function itemsFrom(file: EditedFile, first: PdfText | undefined, context: OutlineContext, depth: number): Item[] {
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

/** Counts the bookmarks that a viewer displays (ISO 32000-1, table 153). */
const shownIn = (items: readonly Item[]): number =>
  items.reduce((sum, { children, isOpen }) => sum + 1 + (isOpen ? shownIn(children) : 0), 0)

export type RemovedObjects = { pages: ReadonlySet<number>; annotations: ReadonlySet<number> }

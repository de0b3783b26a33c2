import type { PdfObjects } from '../pdf/objects.ts'
import { resolve } from '../pdf/objects.ts'
import { decodeString } from '../pdf/strings.ts'
import type { PdfDictionary, PdfText } from '../pdf/syntax.ts'
import { readArray, readDictionary, readName, readReference, writeArray, writeDictionary } from '../pdf/syntax.ts'

/** The active content found in a document. */
export type ActiveContent = {
  hasJavascript: boolean
  /** Embedded files, each by the number of its stream, or by its place where it has none. */
  attachments: Set<PdfText>
  /** The numbers of objects that hold the text of a script. */
  scripts: Set<number>
}

/** A scan of a document: where its objects are read, and what was found so far. */
export type Scan = { objects: PdfObjects; found: ActiveContent }

/** Actions that run a script, start a program, send or import data, or open another file (ISO 32000-1, table 198). */
const ACTIVE = new Set(['JavaScript', 'Launch', 'SubmitForm', 'ImportData', 'GoToR', 'GoToE', 'RichMediaExecute'])

/** Keys that hold nothing but scripts, forms with scripts, or embedded files. */
const REMOVED_KEYS = ['JavaScript', 'EmbeddedFiles', 'XFA', 'OnInstantiate', 'Collection', 'AlternatePresentations']

/** Keys whose value may be an action, or an array of actions. */
const ACTION_KEYS = new Set(['A', 'PA', 'OpenAction', 'Next'])

/** Objects that carry a document. One that poses as an action loses what makes it an action, and stays. */
const CARRIERS = new Set(['Catalog', 'Pages', 'Page', 'StructElem', 'Font', 'XObject'])

/** What an object can contain that is active. A name with `#` may be any name. */
const SUSPECT =
  /#|\/(?:JavaScript|JS|Launch|SubmitForm|ImportData|GoTo[RE]|RichMedia|URI|Base|EF|AF|XFA|EmbeddedFile|FileAttachment|Collection|OnInstantiate|AlternatePresentations|ObjStm|XRef|(?:S|PA|A|OpenAction|Next|Annots)[\s\0[])/

// PDFium reads 64 levels; deeper values are no part of a document that it saved.
const MAX_LEVELS = 100

/** Returns the value without its active content: the same text if it has none, `undefined` if it is active as a whole. */
export function cleanValue(text: PdfText, scan: Scan): PdfText | undefined {
  return SUSPECT.test(text) ? clean(text, scan, 0) : text
}

function clean(text: PdfText, scan: Scan, level: number): PdfText | undefined {
  if (level > MAX_LEVELS) return undefined
  const elements = readArray(text)
  if (elements !== undefined) {
    const cleaned = elements.map((element) => clean(element, scan, level + 1) ?? 'null')
    return cleaned.every((element, index) => element === elements[index]) ? text : writeArray(cleaned)
  }
  const entries = readDictionary(text)
  return entries === undefined ? text : cleanDictionary(text, entries, scan, level)
}

function cleanDictionary(text: PdfText, entries: PdfDictionary, scan: Scan, level: number): PdfText | undefined {
  const { objects } = scan
  const name = (key: string) => readName(resolve(objects, entries.get(key)))
  let changed = false
  const remove = (key: string) => {
    changed = entries.delete(key) || changed
  }

  noteScripts(entries, scan)
  noteFile(entries, scan)
  for (const [key, value] of entries) {
    const left = cleanEntry(key, value, scan, level)
    if (left === value) continue
    changed = true
    if (left === undefined) entries.delete(key)
    else entries.set(key, left)
  }
  const type = name('Type') ?? ''
  const script = readReference(entries.get('JS'))
  if (isActiveAction(entries, objects)) {
    if (script !== undefined) scan.found.scripts.add(script)
    if (!CARRIERS.has(type)) return undefined
    for (const key of ['S', 'JS']) remove(key)
  }
  if (type === 'EmbeddedFile' || type === 'ObjStm' || type === 'XRef') return undefined
  if (name('Subtype') === 'FileAttachment') return undefined
  for (const key of REMOVED_KEYS) remove(key)
  if (name('S') === 'Rendition') remove('JS')
  if (isEmbedded(entries, objects)) remove('EF')
  if (isFileList(entries.get('AF'), objects)) remove('AF')
  if (isScript(entries.get('Base'), objects)) remove('Base')
  return changed ? writeDictionary(entries) : text
}

/** The entry's value without active content; `undefined` if the entry goes. */
function cleanEntry(key: string, value: PdfText, scan: Scan, level: number): PdfText | undefined {
  if (ACTION_KEYS.has(key) || key === 'Annots') {
    if (isActive(value, scan.objects)) return undefined
    const elements = readArray(value)
    const left = elements?.filter((element) => !isActive(element, scan.objects))
    if (left !== undefined && left.length !== elements?.length) {
      for (const element of elements ?? []) clean(element, scan, level + 1)
      return clean(writeArray(left), scan, level + 1)
    }
  }
  const left = clean(value, scan, level + 1)
  // Additional actions of which none is left.
  return key === 'AA' && left !== value && readDictionary(left)?.size === 0 ? undefined : left
}

/** Whether a value refers to an active object: an action or an annotation with a file. */
function isActive(value: PdfText, objects: PdfObjects): boolean {
  if (readReference(value) === undefined) return false
  const entries = readDictionary(resolve(objects, value))
  if (entries === undefined) return false
  return isActiveAction(entries, objects) || readName(resolve(objects, entries.get('Subtype'))) === 'FileAttachment'
}

function isActiveAction(entries: PdfDictionary, objects: PdfObjects): boolean {
  const kind = readName(resolve(objects, entries.get('S')))
  return kind !== undefined && (ACTIVE.has(kind) || (kind === 'URI' && isScript(entries.get('URI'), objects)))
}

/** Whether a value is an address that runs a script. White space and the case of letters do not hide it. */
function isScript(value: PdfText | undefined, objects: PdfObjects): boolean {
  const address = decodeString(resolve(objects, value))
  return address !== undefined && /^(?:javascript|vbscript|data):/i.test(address.replace(/[^!-~]/g, ''))
}

function noteScripts(entries: PdfDictionary, { objects, found }: Scan): void {
  const kind = readName(resolve(objects, entries.get('S')))
  const runs =
    kind === 'JavaScript' ||
    (kind === 'Rendition' && entries.has('JS')) ||
    (kind === 'URI' && isScript(entries.get('URI'), objects)) ||
    isScript(entries.get('Base'), objects) ||
    entries.has('OnInstantiate') ||
    // An XFA form can contain scripts; its streams are not read.
    entries.has('XFA')
  found.hasJavascript ||= runs
}

function noteFile(entries: PdfDictionary, { objects, found }: Scan): void {
  if (!isEmbedded(entries, objects)) return
  const files = readDictionary(resolve(objects, entries.get('EF')))
  const file = ['UF', 'F', 'Unix', 'DOS', 'Mac'].flatMap((key) => files?.get(key) ?? [])[0]
  if (file !== undefined) found.attachments.add(file)
}

const FILE_KEYS = ['F', 'UF', 'DOS', 'Mac', 'Unix']

/** Whether a dictionary is a file specification that embeds its file. A font may be called `EF` too. */
function isEmbedded(entries: PdfDictionary, objects: PdfObjects): boolean {
  const files = readDictionary(resolve(objects, entries.get('EF')))
  return files !== undefined && FILE_KEYS.some((key) => files.has(key))
}

/** Whether a value is a list of associated files. A font may be called `AF` too. */
function isFileList(value: PdfText | undefined, objects: PdfObjects): boolean {
  const list = resolve(objects, value)
  const entries = readDictionary(list)
  return readArray(list) !== undefined || (entries !== undefined && (entries.has('EF') || entries.has('UF')))
}

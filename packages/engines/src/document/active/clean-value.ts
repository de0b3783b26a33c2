import type { PdfObjects } from '../pdf/objects.ts'
import { decodeString } from '../pdf/strings.ts'
import type { PdfDictionary, PdfText } from '../pdf/syntax.ts'
import { readArray, readDictionary, readName, readReference, writeArray, writeDictionary } from '../pdf/syntax.ts'
import type { Evaluator } from './references.ts'
import { References } from './references.ts'

export type ActiveContent = {
  hasJavascript: boolean
  /** References to the streams of embedded files, or the streams themselves. */
  attachments: Set<PdfText>
}

type Scan = { references: References; found: ActiveContent }

/** Actions that run a script, start a program, send or import data, open another file, or play media. */
const ACTIVE = new Set([
  'JavaScript',
  'Launch',
  'SubmitForm',
  'ImportData',
  'GoToR',
  'GoToE',
  'RichMediaExecute',
  'GoTo3DView',
  'Rendition',
  'Movie',
  'Sound',
])

/** Annotations that play media or open a file. If they have an appearance, they become Stamp annotations. */
const MEDIA = new Set(['RichMedia', '3D', 'Screen', 'Movie', 'Sound', 'FileAttachment'])

const MEDIA_KEYS = ['A', 'AA', 'FS', 'Movie', 'Name', 'Sound']

/** Keys to remove in every object. They contain scripts, scripted forms, embedded files, media, or URLs to load. */
const REMOVED_KEYS = [
  'JavaScript',
  'EmbeddedFiles',
  'XFA',
  'NeedsRendering',
  'OnInstantiate',
  'Collection',
  'AlternatePresentations',
  'Renditions',
  'RichMediaContent',
  'RichMediaSettings',
  '3DD',
  '3DV',
  '3DA',
  '3DI',
  'Requirements',
  'URLS',
  'SpiderInfo',
]

/**
 * Keys to remove in streams: PostScript that printers run, and links to image files (`OPI`). In other dictionaries,
 * these keys can name fonts.
 */
const PRINTER_KEYS = ['Subtype2', 'PS', 'Level1', 'OPI']

const ADDRESS_KEYS = ['URI', 'Base', 'URL']

const ACTION_KEYS = new Set(['A', 'PA', 'OpenAction', 'Next'])

/** Types of objects that documents need. If such an object looks like an action, only its action keys are removed. */
const CARRIERS = new Set(['Catalog', 'Pages', 'Page', 'StructElem', 'Font', 'XObject'])

const REMOVED_TYPES = new Set(['EmbeddedFile', 'ObjStm', 'XRef'])

/** Matches an object that may contain active content. A name with an escape (`#`) may be any name. */
const SUSPECT =
  /[#%]|\/(?:JavaScript|JS|Launch|SubmitForm|ImportData|GoTo[RE3]|Thread|Rendition|RichMedia|3D|Screen|Movie|Sound|URI|URL|Base|EF|RF|AF|Ref|XFA|EmbeddedFile|FileAttachment|Collection|Requirements|SpiderInfo|NeedsRendering|OnInstantiate|AlternatePresentations|ObjStm|XRef|OPI|PS\b|(?:S|PA|A|OpenAction|Next|Annots|Subtype|Type|F|Names)[\s\0[(<])/

// PDFium reads 64 levels of nesting, and does not save deeper values.
const MAX_LEVELS = 100

export const newScan = (objects: PdfObjects): Scan => ({
  references: new References(objects),
  found: { hasJavascript: false, attachments: new Set() },
})

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
  const { references } = scan
  noteScripts(entries, scan)
  noteFile(entries, scan)
  const isRemoved = isActive(entries, references)
  let changed = false
  for (const [key, value] of entries) {
    const left = cleanEntry(key, value, scan, level)
    if (left === value) continue
    changed = true
    if (left === undefined) entries.delete(key)
    else entries.set(key, left)
  }
  if (isRemoved) return undefined
  for (const key of removedKeys(entries, references)) changed = entries.delete(key) || changed
  if (isMedia(entries, references)) {
    changed = true
    for (const key of MEDIA_KEYS) entries.delete(key)
    entries.set('Subtype', '/Stamp')
  }
  return changed ? writeDictionary(entries) : text
}

function removedKeys(entries: PdfDictionary, references: References): string[] {
  const is = (evaluator: Evaluator<boolean>, key: string) => references.evaluate(evaluator, entries.get(key))
  return [
    ...REMOVED_KEYS,
    ...ADDRESS_KEYS.filter((key) => is(isActiveAddress, key)),
    ...(isActiveAction(entries, references) ? ['S', 'JS'] : []),
    ...(is(isScript, 'JS') ? ['JS'] : []),
    ...(is(hasFile, 'EF') ? ['EF'] : []),
    // `RF` lists more files that are embedded with a file.
    ...(is(hasFile, 'RF') ? ['RF'] : []),
    ...(is(isFileList, 'AF') ? ['AF'] : []),
    // `Ref` refers to a form in another file.
    ...(is(hasFile, 'Ref') ? ['Ref'] : []),
    // `F` is the name of another file that contains the data of this stream.
    ...(entries.has('Length') && is(isFileName, 'F') ? ['F', 'FFilter', 'FDecodeParms'] : []),
    ...(entries.has('Length') ? PRINTER_KEYS : []),
  ]
}

function cleanEntry(key: string, value: PdfText, scan: Scan, level: number): PdfText | undefined {
  if (ACTION_KEYS.has(key) || key === 'Annots') {
    if (refersToActive(value, scan)) return undefined
    const elements = readArray(value)
    if (elements !== undefined) {
      const left = elements.flatMap((element) =>
        refersToActive(element, scan) ? [] : (clean(element, scan, level + 2) ?? []),
      )
      const isSame = left.length === elements.length && left.every((element, index) => element === elements[index])
      return isSame ? value : writeArray(left)
    }
  }
  const left = clean(value, scan, level + 1)
  return key === 'AA' && left !== value && readDictionary(left)?.size === 0 ? undefined : left
}

const refersToActive = (value: PdfText, { references }: Scan): boolean =>
  readReference(value) !== undefined && references.evaluate(isActiveObject, value)

const isActiveObject: Evaluator<boolean> = (text, references) => {
  const entries = readDictionary(text)
  return entries !== undefined && isActive(entries, references)
}

function isActive(entries: PdfDictionary, references: References): boolean {
  const type = references.evaluate(nameOf, entries.get('Type'))
  if (REMOVED_TYPES.has(type) || isPostScript(entries, references)) return true
  if (CARRIERS.has(type)) return false
  return isActiveAction(entries, references) || (isMedia(entries, references) && !entries.has('AP'))
}

function isActiveAction(entries: PdfDictionary, references: References): boolean {
  const kind = references.evaluate(nameOf, entries.get('S'))
  if (kind === 'URI') return references.evaluate(isActiveAddress, entries.get('URI'))
  return ACTIVE.has(kind) || (kind === 'Thread' && entries.has('F'))
}

const isMedia = (entries: PdfDictionary, references: References): boolean =>
  MEDIA.has(references.evaluate(nameOf, entries.get('Subtype')))

const isPostScript = (entries: PdfDictionary, references: References): boolean =>
  entries.has('Length') && references.evaluate(nameOf, entries.get('Subtype')) === 'PS'

const nameOf: Evaluator<string> = (text) => readName(text) ?? ''

/**
 * URLs that open a web page, a message, or a call, and relative URLs such as `example.com:80`. Excludes network paths
 * (`//host/file`), because some viewers open them as files.
 */
const PASSIVE_ADDRESS =
  /^(?:(?:https?|ftps?|mailto|tel|sms|geo|sips?):|(?:localhost|[a-z][a-z\d-]*(?:\.[a-z\d-]+)+):\d{1,5}(?![^/?#])|(?![a-z][a-z\d+.-]*:|[/\\]{2}))/i

/**
 * Returns a URL with only its visible ASCII characters, because viewers ignore white space. Accepts a name, because
 * PDFium opens it as a URL.
 */
const addressOf = (text: PdfText | undefined): string | undefined =>
  (decodeString(text) ?? readName(text))?.replace(/[^!-~]/g, '')

const isScriptAddress: Evaluator<boolean> = (text) => /^(?:javascript|vbscript|data):/i.test(addressOf(text) ?? '')

const isActiveAddress: Evaluator<boolean> = (text) => !PASSIVE_ADDRESS.test(addressOf(text) ?? '')

/** Returns whether a value of `JS` is a script. Fonts, images, and patterns can also be named `JS`. */
const isScript: Evaluator<boolean> = (text) => {
  const entries = readDictionary(text)
  if (entries === undefined) return text?.startsWith('(') === true || text?.startsWith('<') === true
  return entries.has('Length') && !['Subtype', 'PatternType', 'ShadingType'].some((key) => entries.has(key))
}

const FILE_KEYS = ['UF', 'F', 'Unix', 'DOS', 'Mac']

/**
 * Returns whether a dictionary names a file. A key such as `EF` or `Ref` is not enough, because a font can have the
 * same name.
 */
const hasFile: Evaluator<boolean> = (text) => fileIn(text) !== undefined

const fileIn = (text: PdfText | undefined): PdfText | undefined => {
  const files = readDictionary(text)
  return FILE_KEYS.flatMap((key) => files?.get(key) ?? [])[0]
}

/**
 * Returns whether a value is a file name or a file specification. In annotations, the value of `F` is a number with
 * flags.
 */
const isFileName: Evaluator<boolean> = (text) => decodeString(text) !== undefined || hasFileName(text)

const hasFileName = (text: PdfText | undefined): boolean => {
  const entries = readDictionary(text)
  return entries !== undefined && (entries.has('FS') || fileIn(text) !== undefined)
}

/** Returns whether a value lists associated files. The key is not enough, because a font can also be named `AF`. */
const isFileList: Evaluator<boolean> = (text) => {
  if (text?.startsWith('[') === true) return true
  const entries = readDictionary(text)
  return entries !== undefined && (entries.has('EF') || entries.has('UF'))
}

function noteScripts(entries: PdfDictionary, { references, found }: Scan): void {
  if (found.hasJavascript) return
  const kind = references.evaluate(nameOf, entries.get('S'))
  found.hasJavascript =
    kind === 'JavaScript' ||
    (kind === 'Rendition' && entries.has('JS')) ||
    references.evaluate(isScript, entries.get('JS')) ||
    ADDRESS_KEYS.some((key) => references.evaluate(isScriptAddress, entries.get(key))) ||
    references.evaluate(namesScript, entries.get('Names')) ||
    entries.has('OnInstantiate') ||
    // Scripts in the streams of an XFA form are not detected.
    entries.has('XFA')
}

const namesScript: Evaluator<boolean> = (text, references) =>
  readArray(text)?.some((element) => references.evaluate(isScriptAddress, element)) === true

function noteFile(entries: PdfDictionary, { references, found }: Scan): void {
  const file = references.evaluate(fileIn, entries.get('EF'))
  if (file !== undefined) found.attachments.add(file)
}

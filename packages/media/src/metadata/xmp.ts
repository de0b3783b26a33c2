import type { Element, Node } from '@xmldom/xmldom'
import { DOMParser, onErrorStopParsing, XMLSerializer } from '@xmldom/xmldom'
import type { Kept } from './kept.ts'

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

/** The properties about rights in each namespace. `all`: every property of the namespace. */
const RIGHTS: Record<string, ReadonlySet<string> | 'all'> = {
  'http://purl.org/dc/elements/1.1/': new Set(['rights', 'creator']),
  'http://ns.adobe.com/xap/1.0/rights/': 'all',
  'http://ns.adobe.com/photoshop/1.0/': new Set(['Credit', 'Source', 'AuthorsPosition']),
  'http://ns.adobe.com/tiff/1.0/': new Set(['Artist', 'Copyright']),
  'http://ns.useplus.org/ldf/xmp/1.0/': 'all',
  'http://creativecommons.org/ns#': 'all',
}

const LOCATION =
  /gps|latitude|longitude|altitude|location|geo(?:tag|loc|name|pos|hash)|^(?:lat|lon|long|lng|alt|coverage|city|state|provincestate|country|countryname|countrycode|worldregion)$/i
/** Properties that would be wrong in the result, such as the orientation, thumbnails, and the size of the source. */
const STALE = new Set([
  'Orientation',
  'Thumbnails',
  'PixelXDimension',
  'PixelYDimension',
  'ImageWidth',
  'ImageLength',
  'NativeDigest',
  'HasExtendedXMP',
])

type Name = { namespaceURI: string | null; localName: string | null }

const KEEPS: Record<Kept, (name: Name) => boolean> = {
  copyright: ({ namespaceURI, localName }) => {
    const rights = RIGHTS[namespaceURI ?? '']
    return rights === 'all' || (rights?.has(localName ?? '') ?? false)
  },
  all_but_location: ({ namespaceURI, localName }) =>
    namespaceURI === RDF || (!LOCATION.test(localName ?? '') && !STALE.has(localName ?? '')),
}

// The maximum size of XMP. Editors write less. The number of nodes has a limit too: removing nodes is quadratic.
const MAX_BYTES = 512 * 1024
const MAX_NODES = 10_000
const MAX_DEPTH = 50

export function readXmp(bytes: Buffer, kept: Kept): Buffer | undefined {
  if (bytes.length > MAX_BYTES) return undefined
  const text = bytes.toString()
  if ((text.match(/[<=]/g)?.length ?? 0) > MAX_NODES) return undefined
  const rdf = parse(text)
  if (rdf === undefined) return undefined
  keepOnly(rdf, ({ namespaceURI, localName }) => namespaceURI === RDF && localName === 'Description')
  for (const description of elementsIn(rdf)) {
    keepOnly(description, (name) => name.namespaceURI === RDF || KEEPS[kept](name))
    if (kept === 'all_but_location') keepOnlyBelow(description, KEEPS[kept], MAX_DEPTH)
    if (!hasProperty(description)) rdf.removeChild(description)
  }
  if (elementsIn(rdf).length === 0) return undefined
  const packet = new XMLSerializer().serializeToString(rdf)
  return Buffer.from(
    `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">${packet}</x:xmpmeta><?xpacket end="r"?>`,
  )
}

function parse(text: string): Element | undefined {
  // XMP contains no document type. A document type could define huge entities.
  if (text.includes('<!DOCTYPE')) return undefined
  try {
    const parser = new DOMParser({ onError: onErrorStopParsing })
    const document = parser.parseFromString(text.replaceAll(/^[\s\uFEFF]+|(?<![\s\0])[\s\0]+$/g, ''), 'text/xml')
    return document.getElementsByTagNameNS(RDF, 'RDF')[0]
  } catch {
    // An image with damaged metadata is still processed.
    return undefined
  }
}

function keepOnly(element: Element, keep: (name: Name) => boolean): void {
  for (const attribute of Array.from(element.attributes)) {
    if (attribute.namespaceURI !== XMLNS && !keep(attribute)) element.removeAttributeNode(attribute)
  }
  for (const child of Array.from(element.childNodes)) {
    const isKept = isElement(child) ? keep(child) : child.nodeType === TEXT
    if (!isKept) element.removeChild(child)
  }
}

function keepOnlyBelow(element: Element, keep: (name: Name) => boolean, depth: number): void {
  for (const child of elementsIn(element)) {
    if (depth === 0) {
      element.removeChild(child)
      continue
    }
    keepOnly(child, keep)
    keepOnlyBelow(child, keep, depth - 1)
  }
}

const hasProperty = (description: Element) =>
  elementsIn(description).length > 0 ||
  [...description.attributes].some(({ namespaceURI }) => namespaceURI !== XMLNS && namespaceURI !== RDF)

const TEXT = 3
const XMLNS = 'http://www.w3.org/2000/xmlns/'

const isElement = (node: Node): node is Element => node.nodeType === 1
const elementsIn = (node: Node) => [...node.childNodes].filter(isElement)

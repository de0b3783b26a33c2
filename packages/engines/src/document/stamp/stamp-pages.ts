import type { Size } from '@mediamill/contract/domain/size'
import type { PlannedStamp } from '@mediamill/media/plan/document'
import type { PageGeometry } from '../geometry.ts'
import type { EditedFile } from '../pdf/edited-file.ts'
import { resolve } from '../pdf/objects.ts'
import type { Page } from '../pdf/page-tree.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { readArray, readDictionary, readReference, writeArray, writeDictionary, writeReference } from '../pdf/syntax.ts'
import { ResourceEditor } from './resource-editor.ts'
import type { StampImage } from './stamp-images.ts'
import { addForm, addImages, contentStream } from './stamp-objects.ts'

export type ShownPage = { page: Page; geometry: PageGeometry }

// A page may save or restore too many graphics states. Spare saved states keep this from moving the watermark. Half of
// them are restored, because poppler stops at a restore without a saved state.
const SPARE_STATES = 8

/** Draws watermarks on pages. The file contains each image once, and one drawing for each page geometry. */
export function stampPages(
  file: EditedFile,
  pages: readonly ShownPage[],
  planFor: (size: Size) => PlannedStamp[],
  images: ReadonlyMap<string, StampImage>,
): void {
  const named = addImages(file, images)
  const resources = new ResourceEditor(file)
  const forms = new Map<string, number | undefined>()
  const closings = new Map<string, PdfText>()
  let opening: PdfText | undefined
  const stamped = new Set<number>()

  for (const { page, geometry } of pages) {
    // The tree may list a page object twice, but the page needs only one set of watermarks.
    if (page.number === undefined || stamped.has(page.number)) continue
    stamped.add(page.number)
    const key = JSON.stringify(geometry)
    if (!forms.has(key)) forms.set(key, addForm(file, geometry, planFor(geometry.size), named))
    const form = forms.get(key)
    if (form === undefined) continue
    const dictionary = readDictionary(file.text(page.number)) ?? new Map<string, PdfText>()
    const { name, own } = resources.addForm(page, form)
    if (own !== undefined) dictionary.set('Resources', own)
    const closing = closings.get(name) ?? writeReference(file.addStream(contentStream(closingContent(name))))
    closings.set(name, closing)
    opening ??= writeReference(file.addStream(contentStream(OPENING)))
    const content = contentParts(file, dictionary.get('Contents'))
    dictionary.set('Contents', writeArray([opening, ...content, closing]))
    file.replace(page.number, writeDictionary(dictionary))
  }
}

const RESTORE = ' Q'.repeat(SPARE_STATES)

// Neutral marked content around the page content. If the page content leaves a hidden layer open, the end of this marked
// content also ends the layer.
const OPENING = `${'q '.repeat(2 * SPARE_STATES)}${'/Span BMC '.repeat(SPARE_STATES)}`
const END_LAYERS = ' EMC'.repeat(SPARE_STATES)

const MAX_OPEN_PARENTHESES = 20

// Ends a string, in hexadecimal digits or in nested parentheses, that the page content leaves open. Each line ends one
// parenthesis. Outside a string, a line is a comment.
const END_STRING = `%>)\n${'%)\n'.repeat(MAX_OPEN_PARENTHESES - 1)}`

const closingContent = (name: string) => `${END_STRING}${END_LAYERS}${RESTORE} /Artifact BMC /${name} Do EMC${RESTORE}`

/**
 * Returns references to the content streams. `/Contents` refers to a stream, or is an array or a reference to an array.
 */
function contentParts(file: EditedFile, contents: PdfText | undefined): PdfText[] {
  const parts = readArray(resolve(file, contents))
  if (parts !== undefined) return parts.filter((part) => readReference(part) !== undefined)
  return contents !== undefined && readReference(contents) !== undefined && resolve(file, contents) !== undefined
    ? [contents]
    : []
}

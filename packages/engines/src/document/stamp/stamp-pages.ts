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

/** A page of the file and how it is shown. */
export type ShownPage = { page: Page; geometry: PageGeometry }

// Content that saves and never restores, or restores more often than it saves, must not move the stamp. So states are
// saved before it, half of them restored before the stamp and half after: up to so many can be missing either way.
// poppler draws nothing more once a content has restored what was never saved, so that may only happen at the very end.
const SPARE_STATES = 8

/**
 * Draws the stamps over every page.
 *
 * Each image is in the file once, the drawing once for every way a page is shown. A page's own content is never read: it
 * stands between two streams that pages share. Its stamp is marked as no part of the text (ISO 32000-1, 14.8.2.2).
 */
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
    // A page that the tree names twice is one object.
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
    opening ??= writeReference(file.addStream(contentStream('q '.repeat(2 * SPARE_STATES))))
    const content = contentParts(file, dictionary.get('Contents'))
    dictionary.set('Contents', writeArray([opening, ...content, closing]))
    file.replace(page.number, writeDictionary(dictionary))
  }
}

const RESTORE = ' Q'.repeat(SPARE_STATES)

// A comment, unless the content ends within a string: then that is what it ends.
const END_STRING = '%)\n'

const closingContent = (name: string) => `${END_STRING}${RESTORE} /Artifact BMC /${name} Do EMC${RESTORE}`

/** The streams that a page's content is made of: one, or those of an array that may be an object itself. */
function contentParts(file: EditedFile, contents: PdfText | undefined): PdfText[] {
  const parts = readArray(resolve(file, contents))
  if (parts !== undefined) return parts.filter((part) => readReference(part) !== undefined)
  return contents !== undefined && readReference(contents) !== undefined && resolve(file, contents) !== undefined
    ? [contents]
    : []
}

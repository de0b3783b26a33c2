import type { EditedFile } from '../pdf/edited-file.ts'
import { dictionaryAt, resolve } from '../pdf/objects.ts'
import type { Page } from '../pdf/page-tree.ts'
import type { PdfDictionary, PdfText } from '../pdf/syntax.ts'
import { readDictionary, readReference, writeDictionary, writeReference } from '../pdf/syntax.ts'

/**
 * Adds drawings to the resources of pages. May change a dictionary that pages share, because the other pages ignore the
 * new name.
 */
export class ResourceEditor {
  readonly #file: EditedFile
  /** The number of the object that replaces each inherited dictionary, by the text of the dictionary. */
  readonly #shared = new Map<PdfText, number>()

  constructor(file: EditedFile) {
    this.#file = file
  }

  /**
   * Adds a drawing, and returns its resource name. `own` is the new value of the page's `/Resources`, or `undefined` if
   * the value stays the same.
   */
  addForm(page: Page, form: number): { name: string; own: PdfText | undefined } {
    const own = page.dictionary.get('Resources')
    if (own !== undefined && readDictionary(own) !== undefined) {
      const { name, text } = this.#withForm(own, form)
      return { name, own: text }
    }
    const value = page.get('Resources')
    const number = readReference(value)
    if (number !== undefined && dictionaryAt(this.#file, value) !== undefined) {
      return { name: this.#addToObject(this.#lastOf(number), form), own: undefined }
    }
    const inherited = resolve(this.#file, value) ?? '<<>>'
    const shared = this.#shared.get(inherited) ?? this.#file.add(readDictionary(inherited) ? inherited : '<<>>')
    this.#shared.set(inherited, shared)
    return { name: this.#addToObject(shared, form), own: writeReference(shared) }
  }

  #lastOf(number: number): number {
    const next = readReference(this.#file.text(number))
    return next === undefined ? number : this.#lastOf(next)
  }

  #addToObject(number: number, form: number): string {
    const before = this.#file.text(number) ?? '<<>>'
    const { name, text } = this.#withForm(before, form)
    if (text !== before) this.#file.replace(number, text)
    return name
  }

  #withForm(text: PdfText, form: number): { name: string; text: PdfText } {
    const resources: PdfDictionary = readDictionary(text) ?? new Map()
    const value = resources.get('XObject')
    const number = readReference(value)
    const objects = dictionaryAt(this.#file, value) ?? new Map<string, PdfText>()
    const reference = writeReference(form)
    let name = `Mm${form}`
    while (objects.has(name) && objects.get(name) !== reference) name += 'x'
    if (objects.has(name)) return { name, text }
    objects.set(name, reference)
    if (number !== undefined && dictionaryAt(this.#file, value) !== undefined) {
      this.#file.replace(this.#lastOf(number), writeDictionary(objects))
      return { name, text }
    }
    resources.set('XObject', writeDictionary(objects))
    return { name, text: writeDictionary(resources) }
  }
}
